package kerberos

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // Kerberos's encryption has it
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/crypto/common"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/types"
)

// kind is how a kind of key encrypts.
type kind struct {
	hash func() hash.Hash
	mac  int  // bytes of a checksum
	late bool // the checksum is that of the ciphertext (RFC 8009), not of the plaintext (RFC 3962)
}

// kindOf returns how keys with a number encrypt. Ok is false for those that are not supported.
func kindOf(number int32) (k kind, ok bool) {
	switch number {
	case etypeID.AES128_CTS_HMAC_SHA1_96, etypeID.AES256_CTS_HMAC_SHA1_96:
		return kind{sha1.New, 12, false}, true
	case etypeID.AES128_CTS_HMAC_SHA256_128:
		return kind{sha256.New, 16, true}, true
	case etypeID.AES256_CTS_HMAC_SHA384_192:
		return kind{sha512.New384, 24, true}, true
	}
	return kind{}, false
}

// The form of a wrapped message: a header, and then the payload with its checksum, or the payload with a copy of the header, encrypted.
const (
	wrapHeader = 16
	wrapped    = 0x0504

	flagService = 0x01 // the service has sent it
	flagSealed  = 0x02
	flagSubkey  = 0x04 // the key is the service's
)

const block = aes.BlockSize

// cbc is a chain of blocks that can begin again.
type cbc interface {
	cipher.BlockMode
	SetIV(iv []byte)
}

// half is the keys of one direction. One goroutine at a time uses it.
type half struct {
	kind
	cipher         cipher.Block
	encrypt        cbc
	decrypt        cbc
	integrity      hash.Hash // of sealed messages
	checksum       hash.Hash // of signed ones
	sum            []byte
	zero, last, by [block]byte
}

// newHalf derives the keys for a usage.
func newHalf(key types.EncryptionKey, usage uint32) (*half, error) {
	k, ok := kindOf(key.KeyType)
	h := &half{kind: k}
	system, err := crypto.GetEtype(key.KeyType)
	if err != nil || !ok {
		return nil, fmt.Errorf("derive keys: %w", err)
	}
	derive := func(label []byte) (k []byte) {
		if err == nil {
			k, err = system.DeriveKey(key.KeyValue, label)
		}
		return k
	}
	secret, integrity, signing := derive(common.GetUsageKe(usage)), derive(common.GetUsageKi(usage)), derive(common.GetUsageKc(usage))
	if err == nil {
		h.cipher, err = aes.NewCipher(secret)
	}
	if err != nil {
		return nil, fmt.Errorf("derive keys: %w", err)
	}
	var ok1, ok2 bool
	h.encrypt, ok1 = cipher.NewCBCEncrypter(h.cipher, h.zero[:]).(cbc)
	h.decrypt, ok2 = cipher.NewCBCDecrypter(h.cipher, h.zero[:]).(cbc)
	if !ok1 || !ok2 {
		return nil, errors.New("derive keys: the cipher cannot begin again")
	}
	h.integrity, h.checksum = hmac.New(h.hash, integrity), hmac.New(h.hash, signing)
	return h, nil
}

// macOf returns the checksum of parts. It is valid until the next one.
func (h *half) macOf(mac hash.Hash, parts ...[]byte) []byte {
	mac.Reset()
	for _, p := range parts {
		mac.Write(p)
	}
	h.sum = mac.Sum(h.sum[:0])
	return h.sum[:h.mac]
}

// encryptTail encrypts b from begin on, which is longer than a block, with the last two blocks exchanged (ciphertext stealing).
func (h *half) encryptTail(b []byte, begin int) []byte {
	n := len(b)
	for (len(b)-begin)%block != 0 {
		b = append(b, 0)
	}
	text := b[begin:]
	h.encrypt.SetIV(h.zero[:])
	h.encrypt.CryptBlocks(text, text)
	one, two := text[len(text)-2*block:len(text)-block], text[len(text)-block:]
	copy(h.last[:], one)
	copy(one, two)
	copy(two, h.last[:])
	return b[:n]
}

// decryptWhole decrypts text, which is longer than a block, in place.
func (h *half) decryptWhole(text []byte) {
	rest := len(text) % block
	if rest == 0 {
		rest = block
	}
	end := text[len(text)-rest:]
	before := text[len(text)-rest-block : len(text)-rest]
	h.cipher.Decrypt(h.last[:], before)
	copy(h.by[:], h.last[:])
	copy(h.by[:], end) // the block that was cut
	for i := range end {
		end[i] ^= h.last[i]
	}
	copy(before, h.by[:])
	h.decrypt.SetIV(h.zero[:])
	h.decrypt.CryptBlocks(text[:len(text)-rest], text[:len(text)-rest])
}

// Sealer wraps messages. One goroutine at a time uses it.
type Sealer struct {
	*half
	sequence uint64
	flags    byte
}

// header appends the header of the next message.
func (s *Sealer) header(dst []byte, flags byte, extra int) []byte {
	dst = binary.BigEndian.AppendUint16(dst, wrapped)
	dst = append(dst, s.flags|flags, 0xff)
	dst = binary.BigEndian.AppendUint16(dst, uint16(extra))
	dst = binary.BigEndian.AppendUint16(dst, 0)
	return binary.BigEndian.AppendUint64(dst, s.sequence)
}

// Sign appends a message that is signed and not encrypted.
func (s *Sealer) Sign(dst, payload []byte) []byte {
	begin := len(dst)
	dst = s.header(dst, 0, 0)
	sum := s.macOf(s.checksum, payload, dst[begin:])
	binary.BigEndian.PutUint16(dst[begin+4:], uint16(s.mac))
	s.sequence++
	return append(append(dst, payload...), sum...)
}

// Seal appends a message that is encrypted.
func (s *Sealer) Seal(dst, payload []byte) []byte {
	begin := len(dst)
	dst = s.header(dst, flagSealed, 0)
	s.sequence++
	text := len(dst)
	dst = append(dst, s.zero[:]...)
	_, _ = rand.Read(dst[text:])
	dst = append(dst, payload...)
	dst = append(dst, dst[begin:begin+wrapHeader]...)
	if s.late {
		dst = s.encryptTail(dst, text)
		return append(dst, s.macOf(s.integrity, s.zero[:], dst[text:])...)
	}
	sum := s.macOf(s.integrity, dst[text:])
	return append(s.encryptTail(dst, text), sum...)
}

// Unsealer unwraps messages. One goroutine at a time uses it.
type Unsealer struct {
	*half
	sequence uint64
	flags    byte
}

// The errors of messages that were changed, repeated or lost on the way.
var (
	errForged = errors.New("a message has a wrong checksum: it was changed on the way")
	errOrder  = errors.New("a message is missing or was repeated")
)

// Open returns the payload of a message, in its place. Sealed reports whether it was encrypted.
func (u *Unsealer) Open(message []byte) (payload []byte, sealed bool, err error) {
	if len(message) < wrapHeader || binary.BigEndian.Uint16(message) != wrapped || message[2]&^flagSealed != u.flags || message[3] != 0xff {
		return nil, false, errToken
	}
	head, body := message[:wrapHeader], message[wrapHeader:]
	extra, turned := int(binary.BigEndian.Uint16(head[4:])), int(binary.BigEndian.Uint16(head[6:]))
	if binary.BigEndian.Uint64(head[8:]) != u.sequence {
		return nil, false, errOrder
	}
	u.sequence++
	if turned > 0 && len(body) > 0 {
		turned %= len(body)
		copy(body, append(bytes.Clone(body[turned:]), body[:turned]...))
	}
	binary.BigEndian.PutUint16(head[6:], 0) // as it was when it was signed
	if sealed = head[2]&flagSealed != 0; sealed {
		payload, err = u.unseal(head, body, extra)
	} else {
		payload, err = u.verify(head, body, extra)
	}
	return payload, sealed, err
}

func (u *Unsealer) verify(head, body []byte, extra int) ([]byte, error) {
	if extra != u.mac || len(body) < extra {
		return nil, errToken
	}
	binary.BigEndian.PutUint16(head[4:], 0)
	payload, sum := body[:len(body)-extra], body[len(body)-extra:]
	if !hmac.Equal(sum, u.macOf(u.checksum, payload, head)) {
		return nil, errForged
	}
	return payload, nil
}

func (u *Unsealer) unseal(head, body []byte, extra int) ([]byte, error) {
	if len(body) < block+extra+wrapHeader+u.mac {
		return nil, errToken
	}
	text, sum := body[:len(body)-u.mac], body[len(body)-u.mac:]
	if u.late && !hmac.Equal(sum, u.macOf(u.integrity, u.zero[:], text)) {
		return nil, errForged
	}
	u.decryptWhole(text)
	if !u.late && !hmac.Equal(sum, u.macOf(u.integrity, text)) {
		return nil, errForged
	}
	if !bytes.Equal(text[len(text)-wrapHeader:], head) {
		return nil, errForged
	}
	return text[block : len(text)-wrapHeader-extra], nil
}
