package setup_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
	"github.com/benchd/benchd/internal/target/hbase/setup"
)

// relayTLS accepts TLS and passes what it carries on to an address in plain text.
func relayTLS(t *testing.T, cert tls.Certificate, to string) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	require.NoError(t, err)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				far, err := new(net.Dialer).DialContext(context.Background(), "tcp", to)
				if err != nil {
					_ = near.Close()
					return
				}
				work.Go(func() { _, _ = io.Copy(far, near); _ = far.Close() })
				_, _ = io.Copy(near, far)
				_ = near.Close()
			})
		}
	})
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		work.Wait()
	})
	return l.Addr().String()
}

// A sandbox whose ZooKeeper is behind TLS is found by a client that uses it.
func TestAClusterIsFoundByAZooKeeperWithTLS(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := sandbox.Start(ctx, sandbox.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	issuer := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	defer issuer.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issuer.Certificate().Raw}), 0o600))
	keys, err := credential.New(credential.Config{TLS: credential.TLS{CA: file}})
	require.NoError(t, err)

	settings, err := hbasespec.Read(map[string]string{"hbase.zookeeper.quorum": relayTLS(t, issuer.TLS.Certificates[0], s.Quorum()), "zookeeper.client.secure": "true"})
	require.NoError(t, err)
	secured, err := setup.NewSecurity(settings, keys, nil)
	require.NoError(t, err)
	defer secured.Close()
	client, err := setup.Connect(ctx, settings, secured, nil, nil)
	require.NoError(t, err)
	client.Close()

	stranger, err := setup.NewSecurity(settings, nil, nil)
	require.NoError(t, err)
	defer stranger.Close()
	_, err = setup.Connect(ctx, settings, stranger, nil, nil)
	require.ErrorContains(t, err, "--target-tls-ca")
}
