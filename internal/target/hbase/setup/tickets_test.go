package setup

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/kerberos"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
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

// A server of the registry is a master or a region server: when it refuses one's principal, the next connection takes the other's.
func TestAServerOfTheRegistryHasEitherPrincipal(t *testing.T) {
	keys := hbasespec.Security{Master: "hm/_HOST@R", Region: "hr/_HOST@R"}
	require.Equal(t, []string{keys.Master}, (&Security{settings: hbasespec.Settings{Security: keys}}).principals(masterService))
	require.Equal(t, []string{keys.Region}, (&Security{settings: hbasespec.Settings{Security: keys}}).principals("ClientService"))
	require.Equal(t, []string{keys.Region, keys.Master}, (&Security{settings: hbasespec.Settings{Security: keys}}).principals(registryService))
	masters, err := hbasespec.Read(map[string]string{"hbase.client.registry.impl": "MasterRegistry", "hbase.masters": "m"})
	require.NoError(t, err)
	masters.Security = keys
	require.Equal(t, []string{keys.Master, keys.Region}, (&Security{settings: masters}).principals(registryService))

	accepted, asked := "hm/h", []string(nil)
	begin := func(name string) error {
		asked = append(asked, name)
		if name == accepted {
			return nil
		}
		return fmt.Errorf("as %s: %w", name, new(kerberos.Error))
	}
	s, names := new(Security), []string{"hr/h", "hm/h"}
	require.ErrorIs(t, s.either("a:1", names, begin), rpc.ErrOtherPrincipal)
	require.NoError(t, s.either("a:1", names, begin))
	require.NoError(t, s.either("a:1", names, begin), "it is remembered")
	require.ErrorIs(t, s.either("b:1", names, begin), rpc.ErrOtherPrincipal, "for this server alone")
	require.Equal(t, []string{"hr/h", "hm/h", "hm/h", "hr/h"}, asked)

	accepted = "hr/h" // another process has taken the address
	err = s.either("a:1", names, begin)
	require.True(t, rpc.IsFinal(err))
	require.ErrorContains(t, err, "as hm/h: ; and before: as hr/h: ")
	require.NoError(t, s.either("a:1", names, begin))

	err = s.either("a:1", names[:1], func(string) error { return new(kerberos.Error) })
	require.NotErrorIs(t, err, rpc.ErrOtherPrincipal, "there is no other name")
	lost := errors.New("connection reset")
	require.Equal(t, lost, s.either("a:1", names, func(string) error { return lost }), "it says nothing about the name")
}
