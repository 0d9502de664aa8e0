package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// StateFolder returns the folder for the state of a program with this name, as the folder path below base: STATE_DIRECTORY of
// systemd, or the program's folder below XDG_STATE_HOME or ~/.local/state. Base is "" if there is none, as for a user without
// a home, or with the home of another user.
func StateFolder(program string) (base, path string) {
	if first, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":"); filepath.IsAbs(first) {
		return first, ""
	}
	if base := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return base, program
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) || filepath.Clean(home) == string(filepath.Separator) {
		return "", ""
	}
	info, err := os.Stat(home)
	if err != nil || !info.IsDir() {
		return "", ""
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int64(stat.Uid) != int64(os.Geteuid()) {
		return "", ""
	}
	return filepath.Join(home, ".local", "state"), program
}
