package config

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheConfigurationFolderOfAUser(t *testing.T) {
	t.Setenv("HOME", "/home/anna")
	t.Setenv("XDG_CONFIG_HOME", "/etc/anna")
	require.Equal(t, "/etc/anna", UserFolder())
	t.Setenv("XDG_CONFIG_HOME", "")
	usual, err := os.UserConfigDir()
	require.NoError(t, err)
	require.Equal(t, usual, UserFolder())
	require.Contains(t, usual, "/home/anna/")
	t.Setenv("XDG_CONFIG_HOME", "relative")
	require.NotEqual(t, "relative", UserFolder())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	require.Empty(t, UserFolder())
}
