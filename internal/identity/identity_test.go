package identity

import (
	"context"
	"crypto/x509"
	"math/big"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

func certificate(t *testing.T, uris ...string) *x509.Certificate {
	t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(0xBEEF)}
	for _, text := range uris {
		u, err := url.Parse(text)
		require.NoError(t, err)
		c.URIs = append(c.URIs, u)
	}
	return c
}

func TestCertificatesKeepAnIdentity(t *testing.T) {
	for _, id := range []Identity{
		{Role: Agent, Name: "client-1"},
		{Role: Operator, Name: "anna@example.org", Grants: []Grant{{Drop, "benchd_*"}, {Hook, "restart"}, {Fault, "*"}}},
		{Role: Coordinator, Name: "bench.example.org"},
	} {
		id.Serial = "beef"
		got, err := FromCertificate(certificate(t, "https://example.org/other", id.URI().String()))
		require.NoError(t, err)
		require.Equal(t, id, got)
		require.True(t, got.Verified())
	}
}

func TestOtherCertificatesHaveNoIdentity(t *testing.T) {
	for name, test := range map[string]struct {
		uris    []string
		problem string
	}{
		"none":            {nil, "no identity of benchd"},
		"another scheme":  {[]string{"spiffe://agent/a"}, "no identity of benchd"},
		"two":             {[]string{"benchd://agent/a", "benchd://admin/a"}, "no identity of benchd"},
		"unknown role":    {[]string{"benchd://root/a"}, `invalid role "root"`},
		"trusted":         {[]string{"benchd://trusted/a"}, `invalid role "trusted"`},
		"no name":         {[]string{"benchd://agent"}, `invalid name ""`},
		"path in name":    {[]string{"benchd://agent/a/b"}, `invalid name "a/b"`},
		"control in name": {[]string{"benchd://agent/a%1bb"}, `invalid name "a\x1bb"`},
		"unknown key":     {[]string{"benchd://agent/a?role=admin"}, `unknown key "role"`},
		"unknown grant":   {[]string{"benchd://agent/a?grant=all:*"}, `invalid grant "all:*"`},
		"open pattern":    {[]string{"benchd://agent/a?grant=drop:[a"}, "invalid pattern"},
	} {
		_, err := FromCertificate(certificate(t, test.uris...))
		require.ErrorContains(t, err, test.problem, name)
	}
}

func TestGrants(t *testing.T) {
	anna := Identity{Role: Operator, Name: "anna", Grants: []Grant{{Drop, "benchd_*"}}}
	require.True(t, anna.Has(Drop, "benchd_a"))
	require.False(t, anna.Has(Drop, "usertable"))
	require.False(t, anna.Has(Hook, "benchd_a"))
	for _, role := range append(Roles(), Anonymous, "") {
		require.Equal(t, role == Admin, Identity{Role: role}.Has(Drop, "usertable"), role)
	}
	require.True(t, Identity{Role: Trusted}.Has(Drop, "usertable"))
}

func TestACallWithoutAnIdentityIsAnonymous(t *testing.T) {
	require.Equal(t, Anonymous, From(context.Background()).Role)
	require.False(t, From(context.Background()).Verified())
	anna := Identity{Role: Viewer, Name: "anna"}
	require.Equal(t, anna, From(With(context.Background(), anna)))
	require.Equal(t, "anna (viewer)", anna.String())
	require.Equal(t, "trusted", Identity{Role: Trusted}.String())
	require.False(t, Identity{Role: Trusted}.Verified())
}
