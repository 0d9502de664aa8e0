package config

import "os"

// Colour reports whether to write colours to a terminal: not if NO_COLOR is set.
func Colour() bool { return os.Getenv("NO_COLOR") == "" && !Dumb() }

// Dumb reports whether the terminal cannot move its cursor.
func Dumb() bool { return os.Getenv("TERM") == "dumb" }
