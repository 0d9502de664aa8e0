package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/security"
)

// TLSFlags are the certificates of a process.
type TLSFlags struct {
	Files certs.Files
	roles []identity.Role
}

// AddTLSFlags adds the flags of certificates to a command whose certificate has one of the roles.
func AddTLSFlags(cmd *cobra.Command, roles ...identity.Role) *TLSFlags {
	f := &TLSFlags{roles: roles}
	fs := cmd.Flags()
	fs.StringVar(&f.Files.Cert, "tls-cert", "", "`FILE` with the certificate of this process; with --tls-key and --tls-ca connections use TLS")
	fs.StringVar(&f.Files.Key, "tls-key", "", "`FILE` with the private key of --tls-cert")
	fs.StringVar(&f.Files.CA, "tls-ca", "", "`FILE` with the certificate of the authority (CA) that issued the certificates of this process and of its peers")
	return f
}

// AddRevoked adds the flag of the list of revoked certificates.
func (f *TLSFlags) AddRevoked(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Files.Revoked, "tls-revoked", "", "`FILE` with the serial numbers of certificates that are refused, one in each line")
}

// Given reports whether connections use TLS.
func (f *TLSFlags) Given() bool { return f.Files != (certs.Files{}) }

// Load reads the certificates. Without flags it returns nil.
func (f *TLSFlags) Load(o certs.Options) (*certs.Store, error) {
	if !f.Given() {
		return nil, nil //nolint:nilnil // no TLS is wanted
	}
	o.Roles, o.Required = f.roles, true
	return certs.Load(f.Files, o)
}

// Inspect returns a function that reads the state of the files for a doctor, or nil without flags.
func (f *TLSFlags) Inspect() func() certs.State {
	if !f.Given() {
		return nil
	}
	return func() certs.State { return certs.Inspect(f.Files, certs.Options{Roles: f.roles, Required: true}) }
}

// LoadForDoctor reads the certificates. Files that cannot be used are no error: usable is false, and Inspect has the reason.
func (f *TLSFlags) LoadForDoctor() (store *certs.Store, usable bool, err error) {
	store, err = f.Load(certs.Options{})
	if _, is := errors.AsType[*certs.FileError](err); is {
		return nil, false, nil
	}
	return store, err == nil, err
}

// CoordinatorCredentials returns how a client connects to the coordinator at HOST:PORT: with certificates from a store, or in plain
// text without one, and to a unix socket.
func CoordinatorCredentials(store *certs.Store, address string) credentials.TransportCredentials {
	host, _, err := net.SplitHostPort(address)
	if _, local := security.Socket(address); store == nil || err != nil || local {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(store.ClientConfig(identity.Coordinator, host))
}

// LeaderCredentials returns CoordinatorCredentials for the address of any coordinator, also for one that a standby names as the leader. It refuses
// an address beyond this machine without TLS, unless insecure is set.
func LeaderCredentials(store *certs.Store, insecure bool) func(address string) (credentials.TransportCredentials, error) {
	return func(address string) (credentials.TransportCredentials, error) {
		return CoordinatorCredentials(store, address), security.CheckLocal("coordinator", address, store != nil, insecure)
	}
}

// ServerTLS returns the configuration of a server with certificates from a store, or nil without one.
func ServerTLS(store *certs.Store) *tls.Config {
	if store == nil {
		return nil
	}
	return store.ServerConfig()
}

// WatchTLS reads the files of a store again when they change and at SIGHUP, until stop is called. The store may be nil.
func WatchTLS(ctx context.Context, store *certs.Store) (stop func()) {
	if store == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	var tasks sync.WaitGroup
	tasks.Go(func() { store.Watch(ctx) })
	tasks.Go(func() {
		for {
			select {
			case <-hangups:
				_ = store.Reload() // the store logs the error
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		cancel()
		tasks.Wait()
	}
}

// Secured describes how a listener is secured, such as "gRPC 0.0.0.0:7070: TLS".
func Secured(what, address string, tls bool) string {
	return what + " " + address + ": " + security.Protection(address, tls)
}

// WarnInsecure logs what --insecure leaves open: what names the port or the connection.
func WarnInsecure(log *slog.Logger, what, address string, tls bool) {
	if security.Unprotected(security.Protection(address, tls)) {
		log.Warn("no TLS: everyone on the network can read and control what it carries", "port", what, "address", address, "cure", "use certificates instead of --insecure")
	}
}
