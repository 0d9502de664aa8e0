package pki

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

func denied(t *testing.T, a *Authority, id identity.Identity) bool {
	t.Helper()
	list, err := a.denials()
	require.NoError(t, err)
	return list.Find(id) != nil
}

func TestRevocationByNameRevokesAllLiveCertificates(t *testing.T) {
	a, now := authority(t)
	issue := func(role identity.Role, name string, life time.Duration) identity.Identity {
		t.Helper()
		issued, err := a.Issue(peer(role, name), IssueOptions{Life: life})
		require.NoError(t, err)
		return identity.Identity{Role: role, Name: name, Serial: issued.Record.Serial}
	}
	past := issue(identity.Operator, "anna", time.Hour)
	*now = now.Add(2 * time.Hour)
	first, second := issue(identity.Operator, "anna", 0), issue(identity.Operator, "anna", 0)
	viewer, ben := issue(identity.Viewer, "anna", 0), issue(identity.Operator, "ben", 0)

	added, err := a.Revoke("operator/anna", "lost\tlaptop\n")
	require.NoError(t, err)
	require.Len(t, added, 2)
	require.Equal(t, first.Serial+" operator/anna 2026-03-01T14:00:00Z lost laptop", added[0].String())
	require.True(t, denied(t, a, first))
	require.True(t, denied(t, a, second))
	for _, other := range []identity.Identity{past, viewer, ben} {
		require.False(t, denied(t, a, other), other)
	}

	_, err = a.Revoke("anna", "") // all that is left under the name
	require.NoError(t, err)
	require.True(t, denied(t, a, viewer))
	_, err = a.Revoke("anna", "")
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorContains(t, err, "nothing is left to revoke: viewer/anna was revoked on 2026-03-01T14:00:00Z")

	again := issue(identity.Operator, "anna", 0) // a person gets another certificate after the loss of one
	require.False(t, denied(t, a, again))

	_, err = a.Revoke("00:"+ben.Serial, "") // as openssl and browsers show it
	require.NoError(t, err)
	require.True(t, denied(t, a, ben))

	list, err := a.List()
	require.NoError(t, err)
	revoked := 0
	for _, r := range list {
		if r.Revoked != nil {
			revoked++
		}
	}
	require.Equal(t, 4, revoked)
}

func TestARevokedAgentStaysRevokedWhenItRenews(t *testing.T) {
	a, now := authority(t)
	_, err := a.Token("client-1", time.Hour)
	require.NoError(t, err)
	*now = now.Add(90 * day) // its first certificate has expired, too
	added, err := a.Revoke("client-1", "")
	require.NoError(t, err)
	require.Equal(t, "* agent/client-1 2026-05-30T12:00:00Z", added[0].String())
	require.True(t, denied(t, a, identity.Identity{Role: identity.Agent, Name: "client-1", Serial: "abc"}))
	require.False(t, denied(t, a, identity.Identity{Role: identity.Agent, Name: "client-11", Serial: "abc"}))
	require.False(t, denied(t, a, identity.Identity{Role: identity.Viewer, Name: "client-1", Serial: "abc"}))

	_, err = a.Token("client-1", time.Hour)
	require.ErrorContains(t, err, "agent/client-1 was revoked on 2026-05-30T12:00:00Z with all certificates that it will ever have")
	_, err = a.Issue(peer(identity.Agent, "client-1"), IssueOptions{})
	require.ErrorIs(t, err, ErrInput)

	_, err = a.Revoke("agent/elsewhere", "") // whose token its coordinator made
	require.NoError(t, err)
	_, err = a.Revoke("agent/elsewhere", "")
	require.ErrorContains(t, err, "agent/elsewhere was revoked on")
}

func TestRevocationNamesMistakes(t *testing.T) {
	a, _ := authority(t)
	_, err := a.Issue(peer(identity.Operator, "anna"), IssueOptions{})
	require.NoError(t, err)
	for who, problem := range map[string]string{
		"ana":              "did you mean anna?",
		"operater/anna":    `invalid role "operater"`,
		"operator/":        `invalid name ""`,
		"viewer/anna":      "did you mean operator/anna?",
		"0123456789abcdef": "nothing was issued under that name or serial number: see `benchd pki list --dir",
	} {
		_, err := a.Revoke(who, "")
		require.ErrorContains(t, err, problem, who)
	}
	text, err := os.ReadFile(filepath.Join(a.Dir(), RevokedFile))
	require.NoError(t, err)
	require.Equal(t, denyHead, string(text), "a mistake revokes nothing")
}

func TestDenyLists(t *testing.T) {
	list, err := ParseDenials("# head\n\n00:AB operator/anna 2026-03-01T14:00:00Z lost laptop\r\n* agent/client-1 2026-03-01T14:00:00Z")
	require.NoError(t, err)
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	require.Equal(t, Denials{
		{Serial: "ab", Role: identity.Operator, Name: "anna", Date: at, Reason: "lost laptop"},
		{Serial: "*", Role: identity.Agent, Name: "client-1", Date: at},
	}, list)
	require.Nil(t, list.Find(identity.Identity{Role: identity.Trusted}), "a peer without a certificate has no serial number")
	for text, problem := range map[string]string{
		"ab operator/anna":                           "line 1: want SERIAL ROLE/NAME DATE REASON",
		"# x\nxy operator/anna 2026-03-01T14:00:00Z": `line 2: invalid serial number "xy"`,
		"ab operator/anna yesterday":                 `line 1: invalid date "yesterday"`,
		"ab anna 2026-03-01T14:00:00Z":               `line 1: invalid role "anna"`,
	} {
		_, err := ParseDenials(text)
		require.ErrorContains(t, err, problem, text)
	}
}

func FuzzParseDenials(f *testing.F) {
	f.Add("ab operator/anna 2026-03-01T14:00:00Z lost laptop\n")
	f.Add("* agent/client-1 2026-03-01T14:00:00+01:00")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseDenials(text)
		if err != nil {
			return
		}
		for _, d := range list {
			again, err := ParseDenials(d.String())
			require.NoError(t, err)
			require.Len(t, again, 1)
			require.Equal(t, d.String(), again[0].String())
		}
	})
}
