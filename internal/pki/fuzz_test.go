package pki

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRequest reads a request for a certificate, which an agent sends before it has proved anything.
func FuzzRequest(f *testing.F) {
	for _, name := range []string{"client-1", "client-2"} {
		key, err := NewKey()
		require.NoError(f, err)
		der, err := Request(name, key)
		require.NoError(f, err)
		f.Add(der)
	}
	f.Add([]byte{0x30, 0x84, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, der []byte) {
		public, err := checkRequest("client-1", der)
		if err == nil {
			_, err = keyHash(public)
			require.NoError(t, err)
		}
	})
}

// FuzzParseChain reads the certificates with which a coordinator answers an agent.
func FuzzParseChain(f *testing.F) {
	a, err := Init(f.TempDir()+"/pki", InitOptions{})
	require.NoError(f, err)
	f.Add(a.Root())
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		chain, err := ParseChain(text)
		if err != nil {
			return
		}
		require.NotEmpty(t, chain)
		again, err := ParseChain(EncodeChain(chain...))
		require.NoError(t, err)
		require.Len(t, again, len(chain))
	})
}
