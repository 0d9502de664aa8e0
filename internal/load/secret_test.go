package load_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/secret"
)

func TestADriverReadsTheSecretOfAProperty(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "password"), []byte("canary\n"), 0o600))
	s := load.Settings{
		Properties: map[string]string{"db.password": "file:password", "db.keytab": "file:keytab"},
		Secrets:    secret.Resolver{Folders: []string{folder}},
	}
	v, err := s.Secret("db.password")
	require.NoError(t, err)
	require.Equal(t, "canary", v.Reveal())
	_, err = s.Secret("db.keytab")
	require.ErrorContains(t, err, "db.keytab: resolve file:keytab: no such file in "+folder)
	v, err = s.Secret("db.unset")
	require.NoError(t, err)
	require.Empty(t, v.Reveal())
}
