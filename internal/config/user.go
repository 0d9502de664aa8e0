package config

import (
	"os"
	"path/filepath"
)

// UserFolder returns the folder for the configuration of this user: XDG_CONFIG_HOME, or that of the operating system. It is "" for a user
// without a home.
func UserFolder() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return dir
}
