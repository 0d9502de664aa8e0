package pki

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/identity"
)

const (
	tokenPrefix = "benchd-join-1." //nolint:gosec // what all tokens begin with
	maxToken    = 2048             // bytes
	// MaxTTL is the longest life of a join token.
	MaxTTL = 30 * day
)

// Token is the content of a join token. It is signed by the agents' authority.
type Token struct {
	ID      string `json:"id"`
	Name    string `json:"name"`    // of the agent
	CA      string `json:"ca"`      // SHA-256 of the root's certificate (DER), in hexadecimal
	Expires int64  `json:"expires"` // Unix time in seconds

	signed, signature []byte
}

// ParseToken reads a token, without verifying its signature: an agent compares its coordinator with the token, not the reverse.
func ParseToken(text string) (Token, error) {
	text = strings.TrimSpace(text)
	payload, signature, ok := strings.Cut(strings.TrimPrefix(text, tokenPrefix), ".")
	if len(text) > maxToken || !strings.HasPrefix(text, tokenPrefix) || !ok {
		return Token{}, errorf(ErrToken, "invalid join token: want the line that `benchd pki token` prints, which starts with %s", tokenPrefix)
	}
	damaged := errorf(ErrToken, "the join token is damaged: copy the whole line that `benchd pki token` prints")
	content, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return Token{}, damaged
	}
	var t Token
	if err := json.Unmarshal(content, &t); err != nil || t.ID == "" || len(t.ID) > 64 || len(t.CA) != 2*sha256.Size {
		return Token{}, damaged
	}
	if err := identity.CheckName(t.Name); err != nil {
		return Token{}, damaged
	}
	if t.signature, err = base64.RawURLEncoding.DecodeString(signature); err != nil {
		return Token{}, damaged
	}
	t.signed = []byte(tokenPrefix + payload)
	return t, nil
}

// Until returns the instant from which the token is not valid.
func (t Token) Until() time.Time { return time.Unix(t.Expires, 0).UTC() }

// Root returns the root that the token names from the certificates that a coordinator presents.
func (t Token) Root(presented []*x509.Certificate) (*x509.Certificate, error) {
	if i := slices.IndexFunc(presented, func(c *x509.Certificate) bool { return hash(c.Raw) == t.CA }); i >= 0 {
		return presented[i], nil
	}
	if n := len(presented); n > 0 && presented[n-1].IsCA && presented[n-1].CheckSignatureFrom(presented[n-1]) == nil {
		return nil, errorf(ErrWrongCA, "the coordinator's authority is not the one that made the join token (SHA-256 %s, want %s): compare --coordinator with the machine that the token is for, and make a token with that installation's `benchd pki token`", hash(presented[n-1].Raw), t.CA)
	}
	return nil, errorf(ErrWrongCA, "the coordinator does not present the certificate of its authority, which the join token names: start it with the --tls-cert of `benchd pki issue coordinator`, or append %s to the file", RootFile)
}

// Token makes a join token for one agent.
func (e *Enroller) Token(name string, ttl time.Duration) (string, Token, error) {
	if err := identity.CheckName(name); err != nil {
		return "", Token{}, errorf(ErrInput, "%w", err)
	}
	if ttl < time.Second || ttl > MaxTTL {
		return "", Token{}, errorf(ErrInput, "life of a join token %s: want 1s to %dd", ttl, MaxTTL/day)
	}
	t := Token{ID: rand.Text(), Name: name, CA: hash(e.root.Raw), Expires: e.now().Add(ttl).Unix()}
	payload, err := json.Marshal(t)
	if err != nil {
		return "", Token{}, errorf(ErrInput, "encode join token: %w", err)
	}
	text := tokenPrefix + base64.RawURLEncoding.EncodeToString(payload)
	sum := sha256.Sum256([]byte(text))
	signature, err := ecdsa.SignASN1(rand.Reader, e.agents.key, sum[:])
	if err != nil {
		return "", Token{}, errorf(ErrInput, "sign join token: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), t, nil
}

// Token makes a join token for one agent, and records it.
func (a *Authority) Token(name string, ttl time.Duration) (string, error) {
	text, t, err := a.Enroller().Token(name, ttl)
	if err != nil {
		return "", err
	}
	id := identity.Identity{Role: identity.Agent, Name: name}
	return text, a.record(id, Record{Token: t.ID, Role: id.Role, Name: name, From: a.now().UTC().Truncate(time.Second), Until: t.Until()})
}

// NewToken makes a join token in the directory of an authority, which records it, or in one with the agents' authority alone.
func NewToken(dir, name string, ttl time.Duration) (string, error) {
	if _, err := os.Stat(filepath.Join(dir, IssuedFile)); errors.Is(err, fs.ErrNotExist) {
		e, err := openEnroller(dir)
		if err != nil {
			return "", incomplete(dir, err)
		}
		text, _, err := e.Token(name, ttl)
		return text, err
	}
	a, err := Open(dir)
	if err != nil {
		return "", err
	}
	return a.Token(name, ttl)
}

// verify checks that the agents' authority signed a token.
func (e *Enroller) verify(text string) (Token, error) {
	t, err := ParseToken(text)
	if err != nil {
		return Token{}, err
	}
	sum := sha256.Sum256(t.signed)
	if !ecdsa.VerifyASN1(&e.agents.key.PublicKey, sum[:], t.signature) {
		return Token{}, errorf(ErrToken, "the join token was not made by this coordinator's authority, or was changed: make one with `benchd pki token` of this installation")
	}
	return t, nil
}
