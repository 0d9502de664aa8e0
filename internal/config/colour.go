package config

import "os"

// Colour reports whether a terminal should be written to in colours: not when NO_COLOR is set to anything.
func Colour() bool { return os.Getenv("NO_COLOR") == "" && !Dumb() }

// Dumb says that the terminal cannot move its cursor.
func Dumb() bool { return os.Getenv("TERM") == "dumb" }
