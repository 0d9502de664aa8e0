package config

import "os"

// Colour tells whether a terminal should be written to in colours: not when NO_COLOR is set to anything.
func Colour() bool { return os.Getenv("NO_COLOR") == "" && !Dumb() }

// Dumb tells that the terminal cannot move its cursor.
func Dumb() bool { return os.Getenv("TERM") == "dumb" }
