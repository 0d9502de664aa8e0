package kerberos

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/jcmturner/gokrb5/v8/crypto"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/types"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newKey returns a random key of a kind.
func newKey(kind int32) types.EncryptionKey {
	size := 32
	if kind == etypeID.AES128_CTS_HMAC_SHA1_96 || kind == etypeID.AES128_CTS_HMAC_SHA256_128 {
		size = 16
	}
	key := types.EncryptionKey{KeyType: kind, KeyValue: make([]byte, size)}
	_, _ = rand.Read(key.KeyValue)
	return key
}

// pair returns a client's context, and the service's side of it.
func pair(tb testing.TB, key types.EncryptionKey) (client *Context, out *Sealer, in *Unsealer) {
	tb.Helper()
	client = &Context{subkey: key, sequence: 1000}
	require.NoError(tb, client.begin(key, false, 2000))
	sends, err := newHalf(key, keyusage.GSSAPI_ACCEPTOR_SEAL)
	require.NoError(tb, err)
	receives, err := newHalf(key, keyusage.GSSAPI_INITIATOR_SEAL)
	require.NoError(tb, err)
	return client, &Sealer{half: sends, sequence: 2000, flags: flagService}, &Unsealer{half: receives, sequence: 1000}
}

func TestSealedMessagesAreThoseOfAnotherImplementation(t *testing.T) {
	for _, kind := range encryptions() {
		key := newKey(kind)
		system, err := crypto.GetEtype(kind)
		require.NoError(t, err)
		client, _, _ := pair(t, key)
		for n := range 300 {
			payload := make([]byte, n)
			_, _ = rand.Read(payload)

			sealed := client.Out.Seal([]byte("before"), payload)
			sealed = sealed[len("before"):]
			plain, err := crypto.DecryptMessage(sealed[wrapHeader:], key, keyusage.GSSAPI_INITIATOR_SEAL)
			require.NoError(t, err, "kind %d, %d bytes", kind, n)
			require.Equal(t, payload, plain[:n])
			require.Equal(t, sealed[:wrapHeader], plain[n:])

			head := binary.BigEndian.AppendUint64([]byte{5, 4, flagService | flagSealed, 0xff, 0, 0, 0, 0}, uint64(2000+n))
			_, text, err := system.EncryptMessage(key.KeyValue, append(bytes.Clone(payload), head...), keyusage.GSSAPI_ACCEPTOR_SEAL)
			require.NoError(t, err)
			got, secret, err := client.In.Open(append(head, text...))
			require.NoError(t, err, "kind %d, %d bytes", kind, n)
			require.True(t, secret)
			require.Equal(t, payload, got)
		}
	}
}

func TestSignedMessagesAreThoseOfAnotherImplementation(t *testing.T) {
	for _, kind := range encryptions() {
		key := newKey(kind)
		client, service, _ := pair(t, key)
		for n := range 40 {
			payload := bytes.Repeat([]byte{byte(n)}, n)
			var token gssapi.WrapToken
			require.NoError(t, token.Unmarshal(client.Out.Sign(nil, payload), false))
			ok, err := token.Verify(key, keyusage.GSSAPI_INITIATOR_SEAL)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, payload, token.Payload)

			got, secret, err := client.In.Open(service.Sign(nil, payload))
			require.NoError(t, err)
			require.False(t, secret)
			require.Equal(t, payload, got)
		}
	}
}

// A bit that is changed on the way is noticed, wherever it is.
func TestChangedMessagesAreNoticed(t *testing.T) {
	for _, kind := range encryptions() {
		for name, wrap := range map[string]func(s *Sealer, payload []byte) []byte{
			"sealed": func(s *Sealer, payload []byte) []byte { return s.Seal(nil, payload) },
			"signed": func(s *Sealer, payload []byte) []byte { return s.Sign(nil, payload) },
		} {
			key := newKey(kind)
			_, out, _ := pair(t, key)
			message := wrap(out, []byte("forty bytes of a payload, more than two."))
			for i := range message {
				client, _, _ := pair(t, key)
				changed := bytes.Clone(message)
				changed[i] ^= 0x10
				if i == 6 || i == 7 {
					continue // the rotation is undone, and then the rest is wrong: below
				}
				_, _, err := client.In.Open(changed)
				require.Error(t, err, "%s message of kind %d, byte %d", name, kind, i)
			}
			client, _, _ := pair(t, key)
			for n := range message {
				_, _, err := client.In.Open(bytes.Clone(message[:n]))
				require.Error(t, err)
			}
		}
	}
}

func TestRotatedMessagesAreTurnedBack(t *testing.T) {
	for _, kind := range encryptions() {
		client, service, _ := pair(t, newKey(kind))
		message := service.Seal(nil, []byte("payload"))
		const by = 28
		body := message[wrapHeader:]
		copy(body, append(bytes.Clone(body[len(body)-by:]), body[:len(body)-by]...))
		binary.BigEndian.PutUint16(message[6:], by)
		got, _, err := client.In.Open(message)
		require.NoError(t, err)
		require.Equal(t, "payload", string(got))
	}
}

func TestMissingAndRepeatedMessagesAreNoticed(t *testing.T) {
	client, service, _ := pair(t, newKey(etypeID.AES256_CTS_HMAC_SHA1_96))
	first := service.Seal(nil, []byte("first"))
	_, _, err := client.In.Open(bytes.Clone(first))
	require.NoError(t, err)
	_, _, err = client.In.Open(first)
	require.ErrorIs(t, err, errOrder)
}

// What one side seals, the other opens, and neither allocates.
func TestSealingAllocatesNothing(t *testing.T) {
	for _, kind := range encryptions() {
		client, _, service := pair(t, newKey(kind))
		payload := make([]byte, 1000)
		var buffer []byte
		allocations := testing.AllocsPerRun(200, func() {
			buffer = client.Out.Seal(buffer[:0], payload)
			if got, sealed, err := service.Open(buffer); err != nil || !sealed || len(got) != len(payload) {
				t.Errorf("%d bytes (%v)", len(got), err)
			}
		})
		require.LessOrEqual(t, allocations, 0.0, "kind %d", kind)
	}
}

func FuzzOpen(f *testing.F) {
	key := types.EncryptionKey{KeyType: etypeID.AES128_CTS_HMAC_SHA1_96, KeyValue: make([]byte, 16)}
	_, service, _ := pair(f, key)
	f.Add(service.Seal(nil, []byte("payload")))
	f.Add(service.Sign(nil, []byte("payload")))
	f.Fuzz(func(t *testing.T, message []byte) {
		client, _, _ := pair(t, key)
		payload, _, err := client.In.Open(message)
		if err == nil && len(payload) > len(message) {
			t.Error("a payload longer than its message")
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	for _, kind := range encryptions() {
		for _, n := range []int{100, 1100} {
			b.Run(fmt.Sprintf("kind=%d/bytes=%d", kind, n), func(b *testing.B) {
				client, _, _ := pair(b, newKey(kind))
				payload := make([]byte, n)
				var buffer []byte
				b.ReportAllocs()
				for b.Loop() {
					buffer = client.Out.Seal(buffer[:0], payload)
				}
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{100, 1100} {
		b.Run(fmt.Sprintf("kind=18/bytes=%d", n), func(b *testing.B) {
			client, service, _ := pair(b, newKey(etypeID.AES256_CTS_HMAC_SHA1_96))
			sealed := service.Seal(nil, make([]byte, n))
			message := bytes.Clone(sealed)
			b.ReportAllocs()
			for b.Loop() {
				copy(message, sealed)
				client.In.sequence = 2000
				if _, _, err := client.In.Open(message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
