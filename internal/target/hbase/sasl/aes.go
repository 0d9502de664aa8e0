package sasl

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // HBase's protocol has it
	"encoding/binary"
	"errors"
	"fmt"
	"hash"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// transformation is the cipher of the AES option.
const transformation = "AES/CTR/NoPadding"

// The end of a message: a part of its checksum, which is encrypted, and its number, which is not.
const (
	sumSize    = 10
	numberSize = 4
)

// counter is one direction of the AES option. Its key stream runs on from message to message.
type counter struct {
	stream cipher.Stream
	mac    hash.Hash
	next   uint32
	sum    []byte
	number [numberSize]byte
}

// aesCover is the AES option.
type aesCover struct{ out, in counter }

func newAES(keys *hbasepb.CryptoCipherMeta) (*aesCover, error) {
	if keys.GetTransformation() != transformation {
		return nil, fmt.Errorf("the server has chosen the cipher %q, which was not asked for", keys.GetTransformation())
	}
	out, err := newCounter(keys.GetOutKey(), keys.GetOutIv())
	if err != nil {
		return nil, err
	}
	in, err := newCounter(keys.GetInKey(), keys.GetInIv())
	if err != nil {
		return nil, err
	}
	return &aesCover{out: out, in: in}, nil
}

func newCounter(key, iv []byte) (counter, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return counter{}, fmt.Errorf("the server's key: %w", err)
	}
	if len(iv) != aes.BlockSize {
		return counter{}, fmt.Errorf("the server's key: its begin has %d bytes", len(iv))
	}
	return counter{stream: cipher.NewCTR(block, iv), mac: hmac.New(md5.New, key)}, nil
}

// checksum returns that of a payload with the next number. It is valid until the next one.
func (c *counter) checksum(payload []byte) []byte {
	binary.BigEndian.PutUint32(c.number[:], c.next)
	c.mac.Reset()
	c.mac.Write(c.number[:])
	c.mac.Write(payload)
	c.sum = c.mac.Sum(c.sum[:0])
	return c.sum[:sumSize]
}

func (a *aesCover) seal(dst, payload []byte) []byte {
	begin := len(dst)
	dst = append(dst, payload...)
	dst = append(dst, a.out.checksum(payload)...)
	a.out.stream.XORKeyStream(dst[begin:], dst[begin:])
	dst = append(dst, a.out.number[:]...)
	a.out.next++
	return dst
}

var errForged = errors.New("it has a wrong checksum: it was changed on the way")

func (a *aesCover) open(message []byte) ([]byte, error) {
	if len(message) < sumSize+numberSize {
		return nil, errAnswer
	}
	text := message[:len(message)-numberSize]
	a.in.stream.XORKeyStream(text, text)
	payload, sum := text[:len(text)-sumSize], text[len(text)-sumSize:]
	want := a.in.checksum(payload)
	if binary.BigEndian.Uint32(message[len(message)-numberSize:]) != a.in.next || !hmac.Equal(sum, want) {
		return nil, errForged
	}
	a.in.next++
	return payload, nil
}
