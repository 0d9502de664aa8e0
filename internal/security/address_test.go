package security

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyLoopbackNeedsNoInsecureFlag(t *testing.T) {
	for address, loopback := range map[string]bool{
		"127.0.0.1:7070":          true,
		"127.8.9.10:0":            true,
		"localhost:7070":          true,
		"[::1]:7070":              true,
		"[::ffff:127.0.0.1]:7070": true,
		":7070":                   false, // all interfaces
		"0.0.0.0:7070":            false,
		"[::]:7070":               false,
		"10.0.0.1:7070":           false,
		"[fe80::1%eth0]:7070":     false,
		"coordinator:7070":        false,
		"localhost.evil.org:7070": false,
	} {
		require.Equal(t, loopback, Loopback(address), address)
		err := CheckAddress("--listen", address, false)
		if loopback {
			require.NoError(t, err)
		} else {
			var refused *AddressError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, 2, refused.ExitCode())
			require.ErrorContains(t, err, "--listen "+address)
			require.ErrorContains(t, err, "TLS")
			require.ErrorContains(t, err, "--insecure")
		}
		require.NoError(t, CheckAddress("--listen", address, true))
		require.Equal(t, loopback, CheckSecured("--listen", address, false, false) == nil, address)
		require.NoError(t, CheckSecured("--listen", address, true, false))
		require.NoError(t, CheckSecured("--listen", address, false, true))
	}
}

func TestAddressHasHostAndPort(t *testing.T) {
	for address, problem := range map[string]string{
		"":                 "not of the form HOST:PORT",
		"127.0.0.1":        "not of the form HOST:PORT",
		"::1:7070":         "not of the form HOST:PORT",
		"127.0.0.1:":       `the port "" is not a number`,
		"127.0.0.1:http":   `the port "http" is not a number`,
		"127.0.0.1:70700":  "not a number from 0 to 65535",
		"http://127.0.0.1": "the port \"//127.0.0.1\" is not a number",
	} {
		require.ErrorContains(t, CheckAddress("--http", address, true), problem, address)
		require.False(t, Loopback(address) && CheckForm("--http", address) == nil, address)
	}
}

func TestARefusedAddressNamesTheCure(t *testing.T) {
	require.ErrorContains(t, CheckSecured("--listen", ":7070", false, false), "set --tls-cert, --tls-key and --tls-ca, use 127.0.0.1")
	require.NotContains(t, CheckAddress("--zookeeper", ":2181", false).Error(), "--tls")
}

// FuzzLoopback checks the guard: an accepted address has the form HOST:PORT with a host of this machine.
func FuzzLoopback(f *testing.F) {
	for _, seed := range []string{"127.0.0.1:1", "[::1]:1", ":1", "localhost:x", "[::1%lo]:1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if CheckAddress("--listen", address, false) == nil && !Loopback(address) {
			t.Errorf("%q passed", address)
		}
	})
}
