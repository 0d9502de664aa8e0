package pki

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

func ledger(t *testing.T, path string, now time.Time) *Ledger {
	t.Helper()
	l, err := OpenLedger(path, now)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestATokenGivesItsAgentACertificate(t *testing.T) {
	a, now := authority(t)
	e := a.Enroller()
	used := ledger(t, filepath.Join(t.TempDir(), "joined.jsonl"), *now)
	token, err := a.Token("Client-1", time.Hour)
	require.NoError(t, err)

	parsed, err := ParseToken(" " + token + "\n")
	require.NoError(t, err)
	require.Equal(t, "Client-1", parsed.Name)
	require.Equal(t, now.Add(time.Hour), parsed.Until())
	require.NotContains(t, token, " ")

	key, der := request(t, "Client-1")
	chain, err := e.Enroll(token, der, used)
	require.NoError(t, err)
	for _, host := range []string{"", AgentHost, "client-1." + AgentHost} {
		id, err := verify(t, a, chain, host)
		require.NoError(t, err, host)
		require.Equal(t, identity.Agent, id.Role)
		require.Equal(t, "Client-1", id.Name)
	}
	certs, err := ParseChain(chain)
	require.NoError(t, err)
	require.Len(t, certs, 2, "the root is left out")
	require.True(t, key.PublicKey.Equal(certs[0].PublicKey))
	require.Equal(t, now.Add(DefaultAgentLife), certs[0].NotAfter)

	again, err := e.Enroll(token, der, used)
	require.NoError(t, err)
	require.Equal(t, chain, again, "the same key gets the same certificate, so that an interrupted agent can try again")
	_, other := request(t, "Client-1")
	_, err = e.Enroll(token, other, used)
	require.ErrorIs(t, err, ErrUsed)
	require.ErrorContains(t, err, "was used already by another key")

	list, err := a.List()
	require.NoError(t, err)
	require.Equal(t, []Record{{Token: parsed.ID, Role: identity.Agent, Name: "Client-1", From: *now, Until: now.Add(time.Hour)}}, list)
}

func TestEnrollRefuses(t *testing.T) {
	a, now := authority(t)
	other, _ := authority(t)
	e := a.Enroller()
	used := ledger(t, filepath.Join(t.TempDir(), "joined.jsonl"), *now)
	token := func(e *Enroller, ttl time.Duration) string {
		t.Helper()
		text, _, err := e.Token("client-1", ttl)
		require.NoError(t, err)
		return text
	}
	_, der := request(t, "client-1")
	_, wrongName := request(t, "client-2")
	good := token(e, time.Hour)
	short := token(e, time.Second)
	*now = now.Add(time.Second)
	key, err := NewKey()
	require.NoError(t, err)
	asAdmin, err := createRequest(peer(identity.Admin, "client-1"), key)
	require.NoError(t, err)
	asDropper, err := createRequest(identity.Identity{Role: identity.Agent, Name: "client-1", Grants: []identity.Grant{{Privilege: identity.Drop, Pattern: "*"}}}, key)
	require.NoError(t, err)
	weak, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	byRSA, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{URIs: []*url.URL{peer(identity.Agent, "client-1").URI()}}, weak)
	require.NoError(t, err)
	unsigned := append([]byte(nil), der...)
	unsigned[len(unsigned)-1] ^= 1
	noURI, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	require.NoError(t, err)
	payload := strings.Split(good, ".")
	foreign := strings.Split(token(other.Enroller(), time.Hour), ".")

	for name, test := range map[string]struct {
		token   string
		request []byte
		kind    error
	}{
		"no token":                {"", der, ErrToken},
		"not a token":             {"secret", der, ErrToken},
		"huge":                    {tokenPrefix + strings.Repeat("a", 1<<16) + ".a", der, ErrToken},
		"cut":                     {good[:len(good)/2], der, ErrToken},
		"of another authority":    {strings.Join(foreign, "."), der, ErrToken},
		"signature of another":    {payload[0] + "." + payload[1] + "." + foreign[2], der, ErrToken},
		"content of another":      {payload[0] + "." + foreign[1] + "." + payload[2], der, ErrToken},
		"without signature":       {payload[0] + "." + payload[1] + ".", der, ErrToken},
		"expired":                 {short, der, ErrExpired},
		"for another name":        {good, wrongName, ErrName},
		"as admin":                {good, asAdmin, ErrName},
		"with grants":             {good, asDropper, ErrName},
		"no request":              {good, nil, ErrRequest},
		"huge request":            {good, make([]byte, 1<<20), ErrRequest},
		"request of another key":  {good, unsigned, ErrRequest},
		"request with RSA":        {good, byRSA, ErrRequest},
		"request without any URI": {good, noURI, ErrRequest},
	} {
		_, err := e.Enroll(test.token, test.request, used)
		require.ErrorIs(t, err, test.kind, name)
	}
	_, err = e.Enroll(good, der, used)
	require.NoError(t, err, "a refused attempt does not use a token up")
}

func TestARequestChoosesNothingButItsKey(t *testing.T) {
	a, now := authority(t)
	used := ledger(t, filepath.Join(t.TempDir(), "joined.jsonl"), *now)
	token, err := a.Token("client-1", time.Hour)
	require.NoError(t, err)
	key, err := NewKey()
	require.NoError(t, err)
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		URIs: []*url.URL{peer(identity.Agent, "client-1").URI()}, DNSNames: []string{"bench.example.org"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)},
	}, key)
	require.NoError(t, err)
	chain, err := a.Enroller().Enroll(token, der, used)
	require.NoError(t, err)
	certs, err := ParseChain(chain)
	require.NoError(t, err)
	require.Equal(t, []string{AgentHost, "client-1." + AgentHost}, certs[0].DNSNames)
	require.Empty(t, certs[0].IPAddresses)
	require.False(t, certs[0].IsCA)
}

func TestRenewalKeepsTheName(t *testing.T) {
	a, now := authority(t)
	e := a.Enroller()
	_, der := request(t, "client-1")
	chain, err := e.Renew(peer(identity.Agent, "client-1"), der)
	require.NoError(t, err)
	id, err := verify(t, a, chain, "")
	require.NoError(t, err)
	require.Equal(t, "client-1", id.Name)
	for _, id := range []identity.Identity{peer(identity.Agent, "client-2"), peer(identity.Admin, "client-1"), peer(identity.Trusted, ""), {}} {
		_, err := e.Renew(id, der)
		require.ErrorIs(t, err, ErrName, id)
	}

	*now = e.Expires().Add(-time.Hour)
	chain, err = e.Renew(peer(identity.Agent, "client-1"), der)
	require.NoError(t, err)
	certs, err := ParseChain(chain)
	require.NoError(t, err)
	require.Equal(t, e.Expires(), certs[0].NotAfter, "a certificate ends with its authority at the latest")
	*now = e.Expires()
	_, err = e.Renew(peer(identity.Agent, "client-1"), der)
	require.ErrorContains(t, err, "the agents' authority ends on 2036-02-27T12:00:00Z: make another authority")
}

func TestAnAgentRefusesAnotherAuthority(t *testing.T) {
	a, _ := authority(t)
	other, _ := authority(t)
	text, token, err := a.Enroller().Token("client-1", time.Hour)
	require.NoError(t, err)
	parsed, err := ParseToken(text)
	require.NoError(t, err)
	require.Equal(t, token.CA, parsed.CA)
	root, err := parsed.Root([]*x509.Certificate{a.agents.cert, a.root.cert})
	require.NoError(t, err)
	require.Equal(t, a.root.cert, root)
	for problem, presented := range map[string][]*x509.Certificate{
		"compare --coordinator with the machine":                     {other.root.cert},
		"does not present the certificate of its authority":          {a.agents.cert},
		"start it with the --tls-cert of `benchd pki issue coordina": nil,
	} {
		_, err = parsed.Root(presented)
		require.ErrorIs(t, err, ErrWrongCA)
		require.ErrorContains(t, err, problem)
	}
}

func TestTokensHaveALimitedLife(t *testing.T) {
	a, _ := authority(t)
	for name, ttl := range map[string]time.Duration{"client-1": 0, "client-2": -time.Hour, "client-3": MaxTTL + 1, "": time.Hour, "a b": time.Hour} {
		_, err := a.Token(name, ttl)
		require.ErrorIs(t, err, ErrInput, name)
	}
}

func TestOneKeyWinsATokenThatManyUseAtOnce(t *testing.T) {
	a, now := authority(t)
	e := a.Enroller()
	path := filepath.Join(t.TempDir(), "joined.jsonl")
	used := ledger(t, path, *now)
	token, err := a.Token("client-1", time.Hour)
	require.NoError(t, err)
	const peers = 16
	requests := make([][]byte, peers)
	for i := range requests {
		_, requests[i] = request(t, "client-1")
	}
	var all sync.WaitGroup
	errs, chains := make([]error, 2*peers), make([][]byte, 2*peers)
	for i := range errs {
		all.Go(func() { chains[i], errs[i] = e.Enroll(token, requests[i%peers], used) })
	}
	all.Wait()
	var winner []byte
	for i, err := range errs {
		if err != nil {
			require.ErrorIs(t, err, ErrUsed)
			require.ErrorIs(t, errs[(i+peers)%(2*peers)], ErrUsed, "both attempts of a key have the same outcome")
			continue
		}
		if winner == nil {
			winner = chains[i]
		}
		require.Equal(t, winner, chains[i])
	}
	require.NotNil(t, winner)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(content), "\n"))
}

func FuzzParseToken(f *testing.F) {
	f.Add("benchd-join-1.eyJpZCI6IkEiLCJuYW1lIjoiYSIsImNhIjoiYSIsImV4cGlyZXMiOjF9.AA")
	f.Add("benchd-join-1..")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := ParseToken(text)
		if err != nil {
			require.ErrorIs(t, err, ErrToken)
			return
		}
		require.NoError(t, identity.CheckName(token.Name))
	})
}

func TestALedgerSurvivesATornLine(t *testing.T) {
	a, now := authority(t)
	e := a.Enroller()
	path := filepath.Join(t.TempDir(), "joined.jsonl")
	first, second := "", ""
	var err error
	for _, to := range []*string{&first, &second} {
		*to, err = a.Token("client-1", time.Hour)
		require.NoError(t, err)
	}
	_, der := request(t, "client-1")
	used := ledger(t, path, *now)
	chain, err := e.Enroll(first, der, used)
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = e.Enroll(second, der, used)
	require.NoError(t, err)
	both, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, used.Close())

	for size := len(whole); size < len(both); size += 7 {
		require.NoError(t, os.WriteFile(path, both[:size], 0o600))
		used, err := OpenLedger(path, *now)
		require.NoError(t, err)
		again, err := e.Enroll(first, der, used)
		require.NoError(t, err)
		require.Equal(t, chain, again)
		_, other := request(t, "client-1")
		_, err = e.Enroll(second, other, used) // its answer was never sent
		require.NoError(t, err)
		require.NoError(t, used.Close())
		used, err = OpenLedger(path, *now)
		require.NoError(t, err)
		require.Len(t, used.entries, 2)
		require.NoError(t, used.Close())
	}

	require.NoError(t, os.WriteFile(path, append([]byte("{\n"), whole...), 0o600))
	_, err = OpenLedger(path, *now)
	require.ErrorContains(t, err, "joined.jsonl:1:", "damage in the middle is not a torn line: it could hide a use")
}

func TestALedgerForgetsExpiredTokens(t *testing.T) {
	a, now := authority(t)
	e := a.Enroller()
	path := filepath.Join(t.TempDir(), "joined.jsonl")
	used := ledger(t, path, *now)
	long, _, err := e.Token("client-1", 2*time.Hour)
	require.NoError(t, err)
	short, _, err := e.Token("client-1", time.Hour)
	require.NoError(t, err)
	_, der := request(t, "client-1")
	for _, token := range []string{short, long} {
		_, err := e.Enroll(token, der, used)
		require.NoError(t, err)
	}
	require.NoError(t, used.Close())
	*now = now.Add(time.Hour)
	used = ledger(t, path, *now)
	require.Len(t, used.entries, 1)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(content), "\n"))
	_, other := request(t, "client-1")
	_, err = e.Enroll(long, other, used)
	require.ErrorIs(t, err, ErrUsed)
	_, err = e.Enroll(short, other, used)
	require.ErrorIs(t, err, ErrExpired)
}

func TestALedgerHasOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "joined.jsonl")
	ledger(t, path, time.Now())
	_, err := OpenLedger(path, time.Now())
	require.ErrorContains(t, err, "another process has it open")
}

func TestAUseThatCannotBeRecordedIsRefused(t *testing.T) {
	a, now := authority(t)
	used := ledger(t, filepath.Join(t.TempDir(), "joined.jsonl"), *now)
	token, err := a.Token("client-1", time.Hour)
	require.NoError(t, err)
	_, der := request(t, "client-1")
	require.NoError(t, used.journal.file.Close())
	chain, err := a.Enroller().Enroll(token, der, used)
	require.Error(t, err)
	require.Nil(t, chain)
	require.Empty(t, used.entries)
	require.NotErrorIs(t, err, ErrUsed)
	_, err = a.Enroller().Enroll(token, der, used)
	require.ErrorContains(t, err, "an earlier error has not been undone")
}
