package config

import (
	"os"
	"strings"
)

// TakeSecrets returns the environment variables with a prefix, and removes them from the environment: commands that this process
// starts do not inherit them.
func TakeSecrets(prefix string) (map[string]string, error) {
	taken := make(map[string]string)
	for _, one := range os.Environ() {
		name, value, _ := strings.Cut(one, "=")
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		taken[name] = value
		if err := os.Unsetenv(name); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// TakeVariable returns an environment variable, and removes it from the environment.
func TakeVariable(name string) (string, error) {
	value := os.Getenv(name)
	return value, os.Unsetenv(name)
}

// Credentials returns the folder in which systemd puts the credentials of this process's unit, or "".
func Credentials() string { return os.Getenv("CREDENTIALS_DIRECTORY") }
