package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStateIsInTheFolderThatTheSystemNames(t *testing.T) {
	home := t.TempDir()
	foreign := filepath.Join(home, "missing")
	if os.Geteuid() == 0 {
		foreign = filepath.Join(home, "theirs")
		require.NoError(t, os.Mkdir(foreign, 0o755))
		require.NoError(t, os.Chown(foreign, 12345, 12345))
	}
	for name, test := range map[string]struct{ service, state, home, base, path string }{
		"systemd":             {"/var/lib/benchd-agent", "/xdg", home, "/var/lib/benchd-agent", ""},
		"systemd, several":    {"/var/lib/a:/var/lib/b", "", home, "/var/lib/a", ""},
		"XDG":                 {"", "/xdg", home, "/xdg", "benchd"},
		"XDG, relative":       {"", "xdg", home, filepath.Join(home, ".local", "state"), "benchd"},
		"home":                {"", "", home, filepath.Join(home, ".local", "state"), "benchd"},
		"no home":             {"", "", "", "", ""},
		"the root as home":    {"", "", "/", "", ""},
		"another user's home": {"", "", foreign, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("STATE_DIRECTORY", test.service)
			t.Setenv("XDG_STATE_HOME", test.state)
			t.Setenv("HOME", test.home)
			base, path := StateFolder("benchd")
			require.Equal(t, []string{test.base, test.path}, []string{base, path})
		})
	}
}
