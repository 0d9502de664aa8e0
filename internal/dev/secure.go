package dev

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
)

// host is the host name by which the clients in this process verify the coordinator.
const host = "localhost"

// trust has the certificates of a cluster; nil for one without.
type trust struct {
	authority *pki.Authority
	server    *certs.Store
	admin     pki.Issued
	client    *certs.Store // of admin
}

// secure opens the authority of a cluster, which issues the certificates of the coordinator and of the user.
func secure(config Config) (*trust, error) {
	if !config.Secured {
		return nil, nil //nolint:nilnil // no TLS is wanted
	}
	authority, err := openAuthority(filepath.Join(config.DataDir, "pki"))
	if err != nil {
		return nil, err
	}
	t := &trust{authority: authority}
	issued, err := authority.Issue(identity.Identity{Role: identity.Coordinator, Name: "dev"}, pki.IssueOptions{Hosts: hostsOf(config.Listener)})
	if err != nil {
		return nil, fmt.Errorf("issue the coordinator's certificate: %w", err)
	}
	if t.server, err = t.store(issued, certs.Options{Logger: config.Logger, Registerer: config.Registerer}); err != nil {
		return nil, err
	}
	if t.admin, err = authority.Issue(identity.Identity{Role: identity.Admin, Name: config.User}, pki.IssueOptions{}); err != nil {
		return nil, fmt.Errorf("issue the user's certificate: %w", err)
	}
	t.client, err = t.store(t.admin, certs.Options{})
	return t, err
}

// openAuthority opens an authority, or makes it.
func openAuthority(dir string) (*pki.Authority, error) {
	a, err := pki.Open(dir)
	if !errors.Is(err, pki.ErrNoAuthority) {
		return a, err
	}
	a, made := pki.Init(dir, pki.InitOptions{Name: "benchd dev"})
	if errors.Is(made, pki.ErrNotEmpty) {
		return nil, err // it explains what is in the folder
	}
	return a, made
}

// hostsOf returns the names and addresses of a coordinator that listens on this machine.
func hostsOf(l net.Listener) []string {
	hosts := []string{host, "127.0.0.1", "::1"}
	if l == nil {
		return hosts
	}
	if at, is := l.Addr().(*net.TCPAddr); is && !slices.Contains(hosts, at.IP.String()) {
		hosts = append(hosts, at.IP.String())
	}
	return hosts
}

// store returns a store with a certificate of the authority.
func (t *trust) store(issued pki.Issued, o certs.Options) (*certs.Store, error) {
	dir := t.authority.Dir()
	return certs.Parse(
		certs.PEM{Cert: issued.Cert, Key: issued.Key, CA: t.authority.Root()},
		certs.Files{Cert: dir, Key: dir, CA: dir}, o,
	)
}

// agent returns how an agent connects.
func (t *trust) agent(name string) (credentials.TransportCredentials, error) {
	if t == nil {
		return insecure.NewCredentials(), nil
	}
	issued, err := t.authority.Issue(identity.Identity{Role: identity.Agent, Name: name}, pki.IssueOptions{})
	if err != nil {
		return nil, fmt.Errorf("issue the certificate of agent %s: %w", name, err)
	}
	store, err := t.store(issued, certs.Options{})
	if err != nil {
		return nil, err
	}
	return clientCredentials(store), nil
}

// user returns how the user of this process connects.
func (t *trust) user() credentials.TransportCredentials {
	if t == nil {
		return insecure.NewCredentials()
	}
	return clientCredentials(t.client)
}

func clientCredentials(store *certs.Store) credentials.TransportCredentials {
	return credentials.NewTLS(store.ClientConfig(identity.Coordinator, host))
}

// Authority returns the authority of a secured cluster, or nil.
func (c *Cluster) Authority() *pki.Authority {
	if c.trust == nil {
		return nil
	}
	return c.trust.authority
}

// Admin returns the certificate of the user of a secured cluster.
func (c *Cluster) Admin() pki.Issued {
	if c.trust == nil {
		return pki.Issued{}
	}
	return c.trust.admin
}
