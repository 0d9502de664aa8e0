package websession

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

// A browser stays logged in when the coordinator restarts. What has ended does not come back.
func TestSessionsContinueAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "sessions.json")
		restarted := func() *Store {
			s := New()
			s.Keep(File(path), slog.New(slog.DiscardHandler))
			return s
		}
		s := restarted()
		ben, carl := identity.Identity{Role: identity.Viewer, Name: "ben", Serial: "b2"}, identity.Identity{Role: identity.Admin, Name: "carl", Serial: "c3"}
		code := s.Invite(anna(), time.Time{})
		token := login(t, s, anna(), time.Time{})
		out, revoked, expires := login(t, s, ben, time.Time{}), login(t, s, carl, time.Time{}), login(t, s, ben, time.Now().Add(time.Hour))
		s.End(out)
		s.Revoke("c3")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, secret := range []string{code, token, out, revoked, expires} {
			require.NotContains(t, string(text), secret)
		}
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

		s = restarted()
		_, of, leave, ok := s.Enter(t.Context(), token)
		require.True(t, ok)
		require.Equal(t, anna(), of.Who)
		leave()
		require.True(t, alive(t, s, expires))
		require.False(t, alive(t, s, out))
		require.False(t, alive(t, s, revoked))
		_, err = s.Invited(code)
		require.ErrorIs(t, err, ErrCode)

		pass(11 * time.Hour)
		require.True(t, alive(t, s, token), "a use is kept, too")
		pass(11 * time.Hour)
		s = restarted()
		require.False(t, alive(t, s, expires))
		require.True(t, alive(t, s, token))
		pass(12 * time.Hour)
		require.False(t, alive(t, restarted(), token), "it was not used")
	})
}

// A broken file costs logins alone.
func TestABrokenFileOfSessions(t *testing.T) {
	for _, content := range []string{"{", `[{"hash": "00"}]`, `[{"hash": "x"}]`} {
		path := filepath.Join(t.TempDir(), "sessions.json")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		s := New()
		s.Keep(File(path), slog.New(slog.DiscardHandler))
		token := login(t, s, anna(), time.Time{})
		s = New()
		s.Keep(File(path), slog.New(slog.DiscardHandler))
		require.True(t, alive(t, s, token))
	}
}
