package scripted

import (
	"crypto/hmac"
	"crypto/md5" // the protocol's form of a password
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// rounds is how often SequoiaDB hashes a password.
const rounds = 15000

// login is a SCRAM under way.
type login struct {
	nonce, combined string
	salt            []byte
}

// authenticate serves an authentication: by MD5 {User, Passwd}, or a step of SCRAM-SHA-256.
func (one *session) authenticate(f frame) (reply, error) {
	c := &cursor{b: f.body}
	d := c.document()
	if err := c.end(); err != nil {
		return reply{}, err
	}
	o := one.s.options
	if o.User == "" {
		one.authed = true
		return done(), nil
	}
	if text(d, "User") != o.User {
		return failed(codeForbidden, "Authority is forbidden"), nil
	}
	if f.op == authMD5 {
		if o.SCRAM || text(d, "Passwd") != passwordSum(o.Password) {
			return failed(codeForbidden, "Authority is forbidden"), nil
		}
		one.authed = true
		return done(), nil
	}
	if !o.SCRAM {
		return failed(codeUnknown, "Unknown message is received"), nil
	}
	switch d.Lookup("Step").AsInt64() {
	case 1:
		return one.scramFirst(d), nil
	case 2:
		return one.scramSecond(d), nil
	}
	return failed(codeInvalid, "Invalid Argument"), nil
}

func passwordSum(password string) string { return fmt.Sprintf("%x", md5.Sum([]byte(password))) }

func (one *session) scramFirst(d bson.Raw) reply {
	l := login{nonce: text(d, "Nonce"), salt: []byte("a salt of 16 byt")}
	random := make([]byte, 24)
	_, _ = rand.Read(random)
	l.combined = l.nonce + base64.StdEncoding.EncodeToString(random)
	one.login = l
	return done(encoded(bson.D{
		{Key: "Step", Value: int32(1)},
		{Key: "IterationCount", Value: int32(rounds)},
		{Key: "Salt", Value: base64.StdEncoding.EncodeToString(l.salt)},
		{Key: "Nonce", Value: l.combined},
	}))
}

func (one *session) scramSecond(d bson.Raw) reply {
	l := one.login
	if l.combined == "" || text(d, "Nonce") != l.combined {
		return failed(codeForbidden, "Authority is forbidden")
	}
	// Hi of RFC 5802, written out.
	mac := hmac.New(sha256.New, []byte(passwordSum(one.s.options.Password)))
	mac.Write(append(append([]byte(nil), l.salt...), 0, 0, 0, 1))
	block := mac.Sum(nil)
	salted := append([]byte(nil), block...)
	for range rounds - 1 {
		mac.Reset()
		mac.Write(block)
		block = mac.Sum(nil)
		for i := range salted {
			salted[i] ^= block[i]
		}
	}
	sign := func(key []byte, text string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	salt := base64.StdEncoding.EncodeToString(l.salt)
	message := fmt.Sprintf("User:%s,Nonce:%s,IterationCount:%d,Salt:%s,Nonce:%s,Identify:%s,Nonce:%s",
		text(d, "User"), l.combined[:32], rounds, salt, l.combined, text(d, "Identify"), l.combined)
	stored := sha256.Sum256(sign(salted, "Client Key"))
	client, err := base64.StdEncoding.DecodeString(text(d, "Proof"))
	if err != nil || len(client) != sha256.Size {
		return failed(codeForbidden, "Authority is forbidden")
	}
	for i, b := range sign(stored[:], message) {
		client[i] ^= b
	}
	if sha256.Sum256(client) != stored {
		return failed(codeForbidden, "Authority is forbidden")
	}
	one.authed = true
	proof := sign(sign(salted, "Server Key"), message)
	return done(encoded(bson.D{{Key: "Step", Value: int32(2)}, {Key: "Proof", Value: base64.StdEncoding.EncodeToString(proof)}}))
}
