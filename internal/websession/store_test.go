package websession

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

func anna() identity.Identity {
	return identity.Identity{Role: identity.Operator, Name: "anna", Serial: "a1", Issuers: []string{"c0"}, Grants: []identity.Grant{{Privilege: identity.Hook, Pattern: "x"}}}
}

// pass lets time pass in a bubble.
func pass(d time.Duration) { <-time.After(d) }

// login starts a session.
func login(t *testing.T, s *Store, who identity.Identity, until time.Time) (token string) {
	t.Helper()
	token, _, err := s.Redeem(s.Invite(who, until))
	require.NoError(t, err)
	return token
}

// alive reports whether a token has a session. That is a use of it.
func alive(t *testing.T, s *Store, token string) bool {
	t.Helper()
	_, _, leave, ok := s.Enter(t.Context(), token)
	leave()
	return ok
}

func TestACodeLogsInOnceWithinTwoMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		code := s.Invite(anna(), time.Time{})
		require.GreaterOrEqual(t, len(code)*5, 128, "bits of base 32")
		for range 3 {
			who, err := s.Invited(code)
			require.NoError(t, err)
			require.Equal(t, anna(), who)
		}
		token, of, err := s.Redeem(code)
		require.NoError(t, err)
		require.NotEqual(t, code, token)
		require.Equal(t, Session{Who: anna(), Ends: time.Now().Add(MaxLife)}, of)
		for _, wrong := range []string{code, token, "", strings.ToLower(code)} {
			_, err := s.Invited(wrong)
			require.ErrorIs(t, err, ErrCode)
			_, _, err = s.Redeem(wrong)
			require.ErrorIs(t, err, ErrCode)
		}
		require.False(t, alive(t, s, code), "a code is not the token of a session")

		late := s.Invite(anna(), time.Time{})
		pass(CodeLife - time.Second)
		_, err = s.Invited(late)
		require.NoError(t, err)
		pass(time.Second)
		_, _, err = s.Redeem(late)
		require.ErrorIs(t, err, ErrCode)
	})
}

func TestOneOfManyRequestsRedeemsACode(t *testing.T) {
	s := New()
	code := s.Invite(anna(), time.Time{})
	var all sync.WaitGroup
	var started atomic.Int32
	for range 50 {
		all.Go(func() {
			if _, _, err := s.Redeem(code); err == nil {
				started.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, started.Load())
}

func TestASessionEndsWithoutUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		token := login(t, s, anna(), time.Time{})
		for range 3 {
			pass(IdleLife - time.Second)
			require.True(t, alive(t, s, token))
		}
		ctx, _, leave, ok := s.Enter(t.Context(), token)
		require.True(t, ok)
		pass(4 * 24 * time.Hour) // a stream of events, for a soak test
		require.NoError(t, ctx.Err())
		leave()
		leave()
		require.Error(t, ctx.Err())
		pass(IdleLife - time.Second)
		require.True(t, alive(t, s, token), "the end of a stream is a use")
		pass(IdleLife)
		require.False(t, alive(t, s, token))
		require.Empty(t, s.sessions)
	})
}

func TestASessionEndsAfterAWeekOrWithItsCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		for name, test := range map[string]struct{ certificate, life time.Duration }{
			"after a week":         {0, MaxLife},
			"after a week, before": {MaxLife + time.Hour, MaxLife},
			"with its certificate": {time.Hour, time.Hour},
		} {
			until := time.Time{}
			if test.certificate > 0 {
				until = time.Now().Add(test.certificate)
			}
			token := login(t, s, anna(), until)
			ctx, of, leave, ok := s.Enter(t.Context(), token)
			require.True(t, ok, name)
			require.Equal(t, until, of.Until, name)
			pass(test.life - time.Second)
			require.NoError(t, ctx.Err(), name)
			pass(time.Second)
			synctest.Wait()
			require.ErrorIs(t, context.Cause(ctx), ErrEnded, name)
			require.False(t, alive(t, s, token), name)
			leave()
		}
		expired := s.Invite(anna(), time.Now().Add(time.Minute))
		pass(time.Minute + time.Second)
		_, _, err := s.Redeem(expired)
		require.ErrorIs(t, err, ErrCode)
	})
}

func TestALogoutEndsTheStreamsOfASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		token, other := login(t, s, anna(), time.Time{}), login(t, s, anna(), time.Time{})
		ctx, _, leave, _ := s.Enter(t.Context(), token)
		defer leave()
		beside, _, leaveOther, _ := s.Enter(t.Context(), other)
		defer leaveOther()
		who, was := s.End(token)
		require.True(t, was)
		require.Equal(t, anna(), who)
		synctest.Wait()
		require.ErrorIs(t, context.Cause(ctx), ErrEnded)
		require.NoError(t, beside.Err())
		_, was = s.End(token)
		require.False(t, was)
		require.False(t, alive(t, s, token))
		require.True(t, alive(t, s, other))
	})
}

func TestARevocationEndsSessionsAndCodes(t *testing.T) {
	for entry, revokes := range map[string]bool{"a1": true, "operator/anna": true, "c0": true, "a2": false, "viewer/anna": false, "": false} {
		s := New()
		local := login(t, s, identity.Identity{Role: identity.Admin, Name: "root"}, time.Time{})
		token, code := login(t, s, anna(), time.Time{}), s.Invite(anna(), time.Time{})
		s.Revoke(entry)
		require.Equal(t, !revokes, alive(t, s, token), entry)
		_, err := s.Invited(code)
		require.Equal(t, !revokes, err == nil, entry)
		require.True(t, alive(t, s, local), "a user of this machine has no certificate")
		s.Revoke("admin/root")
		require.True(t, alive(t, s, local))
	}
}

func TestAPeerHasAFewSessionsAndCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		other := login(t, s, identity.Identity{Role: identity.Viewer, Name: "anna"}, time.Time{})
		inUse := login(t, s, anna(), time.Time{})
		_, _, leave, _ := s.Enter(t.Context(), inUse)
		var tokens, codes []string
		for range maxOfPeer {
			pass(time.Second)
			tokens = append(tokens, login(t, s, anna(), time.Time{}))
		}
		require.False(t, alive(t, s, tokens[0]), "the one that was not used for the longest time")
		for _, token := range append(tokens[1:], other, inUse) {
			require.True(t, alive(t, s, token))
		}
		leave()
		for range maxOfPeer + 1 {
			pass(time.Second)
			codes = append(codes, s.Invite(anna(), time.Time{}))
		}
		_, err := s.Invited(codes[0])
		require.ErrorIs(t, err, ErrCode)
		_, err = s.Invited(codes[1])
		require.NoError(t, err)
	})
}

func TestAllSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		var first, last string
		for i := range maxAll + 1 {
			last = login(t, s, identity.Identity{Role: identity.Viewer, Name: fmt.Sprint("user-", i)}, time.Time{})
			if i == 0 {
				first = last
			}
			pass(time.Millisecond)
		}
		require.Len(t, s.sessions, maxAll)
		require.False(t, alive(t, s, first))
		require.True(t, alive(t, s, last))
		pass(IdleLife)
		login(t, s, anna(), time.Time{})
		require.Len(t, s.sessions, 1, "sessions that have ended are removed")
	})
}

func TestAStoreHasHashesOnly(t *testing.T) {
	s := New()
	code := s.Invite(anna(), time.Time{})
	token := login(t, s, anna(), time.Time{})
	var kept strings.Builder
	for h, one := range s.sessions {
		fmt.Fprintf(&kept, "%s %+v", h, *one)
	}
	for h, one := range s.codes {
		fmt.Fprintf(&kept, "%s %+v", h, *one)
	}
	require.Contains(t, kept.String(), "anna")
	require.NotContains(t, kept.String(), code)
	require.NotContains(t, kept.String(), token)
	require.Contains(t, s.sessions, hashOf(token))
}
