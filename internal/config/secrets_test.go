package config

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecretsAreTakenFromTheEnvironment(t *testing.T) {
	t.Setenv("BENCHD_SECRET_TOKEN", "a=b")
	t.Setenv("BENCHD_SECRET_EMPTY", "")
	t.Setenv("BENCHD_SECRETS", "kept")
	taken, err := TakeSecrets("BENCHD_SECRET_")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"BENCHD_SECRET_TOKEN": "a=b", "BENCHD_SECRET_EMPTY": ""}, taken)
	_, ok := os.LookupEnv("BENCHD_SECRET_TOKEN")
	require.False(t, ok)
	inherited, err := exec.CommandContext(t.Context(), "env").Output()
	require.NoError(t, err)
	require.NotContains(t, string(inherited), "BENCHD_SECRET_")
	require.Contains(t, string(inherited), "BENCHD_SECRETS=kept")
}

func TestAnInvalidPairIsNotRepeatedBeyondItsName(t *testing.T) {
	for _, text := range []string{"telemetry.bearer canary", "telemetry.bearer:canary", "telemetry.bearer\tcanary"} {
		_, err := ParsePair(text)
		require.ErrorContains(t, err, `invalid pair "telemetry.bearer…"`)
	}
}
