package setup

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/target/hbase/rpc"
	"github.com/benchd/benchd/internal/target/hbase/sasl"
)

func TestPrincipalsOfServersHaveTheirHost(t *testing.T) {
	client, server := net.Pipe() // its addresses have no names
	defer func() { _, _ = client.Close(), server.Close() }()
	for setting, want := range map[string]string{
		"hbase/_HOST@EXAMPLE.COM":     "hbase/rs1.example.com",
		"hbase/gate@EXAMPLE.COM":      "hbase/gate",
		"tdh/_HOST@ANOTHER.REALM.COM": "tdh/rs1.example.com",
	} {
		require.Equal(t, want, principal(t.Context(), client, "RS1.example.com", setting, false))
		require.Equal(t, want, principal(t.Context(), client, "RS1.example.com", setting, true), "without a name of the address")
	}
}

// A service may refuse a ticket because its key has changed: a new ticket cures that, once.
func TestARefusedTicketDeservesOneMoreTry(t *testing.T) {
	keys := keytab.New()
	require.NoError(t, keys.AddEntry("anna", "EXAMPLE.COM", "password", time.Now(), 1, etypeID.AES256_CTS_HMAC_SHA1_96))
	path := filepath.Join(t.TempDir(), "anna.keytab")
	b, err := keys.Marshal()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	tickets, err := kerberos.New(kerberos.Config{Keytab: path, Principal: "anna", Realm: "EXAMPLE.COM", KDCs: []string{"127.0.0.1:1"}})
	require.NoError(t, err)
	s := &Security{tickets: tickets}
	defer s.Close()

	refused := error(&sasl.RefusedError{Text: "GSS initiate failed"})
	require.False(t, rpc.IsFinal(s.lasting(refused)))
	require.True(t, rpc.IsFinal(s.lasting(refused)))
	require.True(t, rpc.IsFinal(s.lasting(new(kerberos.Error))))
	require.False(t, rpc.IsFinal(s.lasting(&kerberos.Error{Passing: true})))
	require.False(t, rpc.IsFinal(s.lasting(errors.New("connection reset"))))
}
