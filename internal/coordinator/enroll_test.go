package coordinator_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/benchd/benchd/internal/coordinator"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/wire"
)

// enrolling opens a coordinator with an agents' authority.
func enrolling(t *testing.T, data string, e *pki.Enroller) *coordinator.Coordinator {
	t.Helper()
	c, err := coordinator.New(t.Context(), coordinator.Config{DataDir: data, Reader: all.Targets().Reader(), Enroller: e})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close(context.WithoutCancel(t.Context())) })
	return c
}

func certificateRequest(t *testing.T, name string) []byte {
	t.Helper()
	key, err := pki.NewKey()
	require.NoError(t, err)
	der, err := pki.Request(name, key)
	require.NoError(t, err)
	return der
}

func TestATokenIsUsedOnceAcrossRestarts(t *testing.T) {
	t.Parallel()
	a, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	e := a.Enroller()
	token, err := a.Token("client-1", time.Hour)
	require.NoError(t, err)
	request, data := certificateRequest(t, "client-1"), t.TempDir()
	c := enrolling(t, data, e)
	first, err := c.Enroll(t.Context(), &benchdv1.EnrollRequest{Token: token, Request: request})
	require.NoError(t, err)
	chain, err := pki.ParseChain(first.GetChain())
	require.NoError(t, err)
	id, err := identity.FromCertificate(chain[0])
	require.NoError(t, err)
	require.Equal(t, "client-1 (agent)", id.String())
	require.NoError(t, c.Close(t.Context()))

	c = enrolling(t, data, e)
	again, err := c.Enroll(t.Context(), &benchdv1.EnrollRequest{Token: token, Request: request})
	require.NoError(t, err)
	require.Equal(t, first.GetChain(), again.GetChain())
	_, err = c.Enroll(t.Context(), &benchdv1.EnrollRequest{Token: token, Request: certificateRequest(t, "client-1")})
	require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotAllowed)
	require.ErrorContains(t, err, "was used already by another key")
}

func TestEnrollmentDistinguishesWhoFromWhat(t *testing.T) {
	t.Parallel()
	a, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	other, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	token := func(a *pki.Authority, ago time.Duration) string {
		t.Helper()
		a.Now = func() time.Time { return time.Now().Add(-ago) }
		text, err := a.Token("client-1", time.Hour)
		require.NoError(t, err)
		return text
	}
	request := certificateRequest(t, "client-1")
	c := enrolling(t, t.TempDir(), a.Enroller())
	for name, test := range map[string]struct {
		token   string
		request []byte
		kind    error
	}{
		"no token":          {"", request, wire.ErrUnauthenticated},
		"another authority": {token(other, 0), request, wire.ErrUnauthenticated},
		"expired":           {token(a, 2*time.Hour), request, wire.ErrUnauthenticated},
		"another name":      {token(a, 0), certificateRequest(t, "client-2"), wire.ErrNotAllowed},
		"no request":        {token(a, 0), nil, wire.ErrMalformed},
	} {
		_, err := c.Enroll(t.Context(), &benchdv1.EnrollRequest{Token: test.token, Request: test.request})
		require.ErrorIs(t, wire.FromStatus(err), test.kind, name)
	}
}

func TestACertificateIsRenewedForItsOwnNameOnly(t *testing.T) {
	t.Parallel()
	a, err := pki.Init(filepath.Join(t.TempDir(), "pki"), pki.InitOptions{})
	require.NoError(t, err)
	c := enrolling(t, t.TempDir(), a.Enroller())
	renew := func(id identity.Identity) (*benchdv1.RenewResponse, error) {
		return c.Renew(identity.With(t.Context(), id), &benchdv1.RenewRequest{Request: certificateRequest(t, "client-1")})
	}
	answer, err := renew(identity.Identity{Role: identity.Agent, Name: "client-1"})
	require.NoError(t, err)
	chain, err := pki.ParseChain(answer.GetChain())
	require.NoError(t, err)
	require.Equal(t, "client-1", chain[0].Subject.CommonName)

	for kind, ids := range map[error][]identity.Identity{
		wire.ErrNotAllowed:      {{Role: identity.Agent, Name: "client-2"}, {Role: identity.Admin, Name: "client-1"}, {Role: identity.Coordinator, Name: "client-1"}},
		wire.ErrUnauthenticated: {{}, {Role: identity.Anonymous}, {Role: identity.Trusted}},
	} {
		for _, id := range ids {
			_, err := renew(id)
			require.ErrorIs(t, wire.FromStatus(err), kind, id)
		}
	}
}

func TestACoordinatorWithoutAuthoritySaysSo(t *testing.T) {
	t.Parallel()
	c := enrolling(t, t.TempDir(), nil)
	_, err := c.Enroll(t.Context(), &benchdv1.EnrollRequest{})
	require.Equal(t, codes.Unimplemented, status.Code(err))
	require.ErrorContains(t, err, "start it with --enroll DIR")
	_, err = c.Renew(t.Context(), &benchdv1.RenewRequest{})
	require.Equal(t, codes.Unimplemented, status.Code(err))
}
