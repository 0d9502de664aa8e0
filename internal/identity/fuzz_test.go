package identity_test

import (
	"crypto/x509"
	"math/big"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

// FuzzFromCertificate reads the identity in the URI of a certificate: the names that are accepted are those that checks and logs expect,
// and each identity has one form only.
func FuzzFromCertificate(f *testing.F) {
	f.Add("benchd://agent/client-1")
	f.Add("benchd://operator/anna@example.org?grant=drop%3Abenchd_%2A&grant=hook%3Arestart")
	f.Add("benchd://user:password@admin/a#b")
	f.Add("benchd://agent:7070//a")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		id, err := identity.FromCertificate(&x509.Certificate{URIs: []*url.URL{u}, SerialNumber: big.NewInt(1)})
		if err != nil {
			return
		}
		require.NoError(t, identity.CheckName(id.Name))
		require.NoError(t, identity.CheckRole(id.Role))
		require.True(t, id.Verified())
		again, err := identity.FromCertificate(&x509.Certificate{URIs: []*url.URL{id.URI()}, SerialNumber: big.NewInt(1)})
		require.NoError(t, err)
		require.Equal(t, id, again)
	})
}

// FuzzParseGrant reads a grant, which gives its privilege on what its pattern names and nothing else.
func FuzzParseGrant(f *testing.F) {
	f.Add("drop:benchd_*", "benchd_1")
	f.Add("hook:[a-", "a")
	f.Add("fault:*", "kill")
	f.Fuzz(func(t *testing.T, text, object string) {
		g, err := identity.ParseGrant(text)
		if err != nil {
			return
		}
		require.Equal(t, text, g.String())
		id := identity.Identity{Role: identity.Operator, Name: "a", Grants: []identity.Grant{g}}
		if id.Has(g.Privilege, object) && !strings.ContainsAny(g.Pattern, `*?[\`) {
			require.Equal(t, g.Pattern, object)
		}
		for _, p := range identity.Privileges() {
			require.False(t, p != g.Privilege && id.Has(p, object))
		}
	})
}
