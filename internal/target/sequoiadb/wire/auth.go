package wire

import (
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // the protocol's form of a password
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

const (
	// identity is the kind of client, which is part of what SCRAM signs.
	identity = "Go_Session"
	// nonceSize is the client's random bytes.
	nonceSize = 24
	// mostIterations bounds the work that a server can demand.
	mostIterations = 1 << 20
)

// Keys remembers what a user's password and a server's salt have given, which takes many rounds of hashing, for further
// connections. Its methods may be called from several goroutines.
type Keys struct {
	mu     sync.Mutex
	salt   string
	rounds int
	key    []byte
}

// derive returns the salted password.
func (k *Keys) derive(password, salt string, rounds int) ([]byte, error) {
	if k == nil {
		return pbkdf2.Key(sha256.New, password, []byte(salt), rounds, sha256.Size) //nolint:wrapcheck // names itself
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key != nil && k.salt == salt && k.rounds == rounds {
		return k.key, nil
	}
	key, err := pbkdf2.Key(sha256.New, password, []byte(salt), rounds, sha256.Size)
	if err != nil {
		return nil, err //nolint:wrapcheck // names itself
	}
	k.salt, k.rounds, k.key = salt, rounds, key
	return key, nil
}

// authenticate proves who the user is. Servers without users accept anybody, but a coordinator serves nobody before this step.
func (c *Conn) authenticate(cfg *Config) error {
	sum := md5.Sum([]byte(cfg.Password.Reveal())) //nolint:gosec // see above
	password := hex.EncodeToString(sum[:])
	if c.Info.SCRAM {
		return c.scram(cfg.User, password, cfg.Keys)
	}
	m := &c.Message
	m.begin(opAuthMD5)
	m.Begin()
	m.Text("User", cfg.User)
	m.Text("Passwd", password)
	m.End()
	_, err := c.Call()
	return err
}

// scram authenticates by SCRAM-SHA-256, in SequoiaDB's dialect: the password is its MD5, and the signed text has names and
// colons.
func (c *Conn) scram(user, password string, keys *Keys) error {
	var random [nonceSize]byte
	_, _ = rand.Read(random[:]) // it never fails
	nonce := base64.StdEncoding.EncodeToString(random[:])
	first, ok, err := c.step(1, user, func(m *Message) { m.Text("Nonce", nonce) })
	if err != nil || !ok {
		return err // without a document: the server has no users
	}
	combined, salt := first.Text("Nonce"), first.Text("Salt")
	rounds, _ := first.Int("IterationCount")
	salted, err := base64.StdEncoding.DecodeString(salt)
	if err != nil || salt == "" || rounds < 1 || rounds > mostIterations || len(combined) <= len(nonce) || !strings.HasPrefix(combined, nonce) {
		return malformed("the first step of SCRAM-SHA-256 is invalid")
	}
	key, err := keys.derive(password, string(salted), int(rounds))
	if err != nil {
		return fmt.Errorf("derive key: %w", err)
	}
	signed := strings.Join([]string{
		"User:" + user, "Nonce:" + nonce, "IterationCount:" + strconv.FormatInt(rounds, 10), "Salt:" + salt, "Nonce:" + combined,
		"Identify:" + identity, "Nonce:" + combined,
	}, ",")
	client := sign(key, "Client Key")
	stored := sha256.Sum256(client)
	proof := sign(stored[:], signed)
	subtle.XORBytes(proof, proof, client)
	last, ok, err := c.step(2, user, func(m *Message) {
		m.Text("Nonce", combined)
		m.Text("Identify", identity)
		m.Text("Proof", base64.StdEncoding.EncodeToString(proof))
	})
	if err != nil {
		return err
	}
	theirs, err := base64.StdEncoding.DecodeString(last.Text("Proof"))
	if !ok || err != nil || !hmac.Equal(theirs, sign(sign(key, "Server Key"), signed)) {
		return errors.New("the server does not prove that it knows the user: it is not the server that it claims to be")
	}
	return nil
}

// step sends a step of SCRAM and returns the answer; false if it has no document.
func (c *Conn) step(number int32, user string, fill func(*Message)) (Document, bool, error) {
	m := &c.Message
	m.begin(opAuthSCRAM)
	m.Begin()
	m.Text("User", user)
	m.Int32("Step", number)
	fill(m)
	m.Int32("Type", 0) // the password is its MD5
	m.End()
	r, err := c.Call()
	if err != nil {
		return nil, false, err
	}
	d, ok, err := r.Next()
	if err != nil || !ok || len(d) == 5 {
		return nil, false, err
	}
	return append(Document(nil), d...), true, nil
}

// sign returns the HMAC of a text.
func sign(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
