package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	gocql "github.com/apache/cassandra-gocql-driver/v2"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
	"github.com/benchd/benchd/internal/workload"
)

func TestErrorsHaveTheirCodes(t *testing.T) {
	for _, test := range []struct {
		err  error
		want workload.Code
	}{
		{&gocql.RequestErrUnavailable{}, workload.ServiceUnavailable},
		{&gocql.RequestErrOverloaded{}, workload.ServiceUnavailable},
		{&gocql.RequestErrReadTimeout{}, workload.Timeout},
		{&gocql.RequestErrWriteTimeout{}, workload.Timeout},
		{&gocql.RequestErrInvalid{}, workload.BadRequest},
		{&gocql.RequestErrSyntax{}, workload.BadRequest},
		{&gocql.RequestErrUnauthorized{}, workload.Forbidden},
		{&gocql.RequestErrReadFailure{}, workload.Error},
		{gocql.ErrTimeoutNoResponse, workload.Timeout},
		{context.DeadlineExceeded, workload.Timeout},
		{os.ErrDeadlineExceeded, workload.Timeout},
		{gocql.ErrNoConnections, workload.ServiceUnavailable},
		{gocql.ErrConnectionClosed, workload.Error},
		{io.EOF, workload.Error},
	} {
		require.Equal(t, test.want, CodeOf(test.err), "%T %v", test.err, test.err)
	}
}

func TestErrorsOfActionsAreMarked(t *testing.T) {
	require.NoError(t, Mark(nil))
	require.ErrorIs(t, Mark(gocql.ErrNoConnections), load.ErrNotReached)
	require.ErrorIs(t, Mark(gocql.ErrTimeoutNoResponse), load.ErrUnknown)
	require.NotErrorIs(t, Mark(&gocql.RequestErrInvalid{}), load.ErrUnknown)
}

// The reason of a failed connection decides about the cure, not what the driver makes of it.
func TestFailedConnectionsHaveACure(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	read := func(err error) error { return &net.OpError{Op: "read", Net: "tcp", Err: err} }
	for name, test := range map[string]struct {
		reason error
		want   string
	}{
		"refused":       {dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "is it running there"},
		"reset":         {read(os.NewSyscallError("read", syscall.ECONNRESET)), "cassandra.useSSL=true"},
		"closed":        {io.EOF, "cassandra.useSSL=true"},
		"no user":       {errors.New(`authentication required (using "x")`), "set cassandra.username and cassandra.password"},
		"bad password":  {&gocql.RequestErrCredentials{}, `user "anna" is refused`},
		"datacenter":    {errors.New("host was filtered: 10.0.0.1 (x)"), `not in datacenter "dc9"`},
		"silent":        {errors.New("gocql: no response to connection startup within timeout"), "no answer within"},
		"slow":          {fmt.Errorf("x: %w", context.DeadlineExceeded), "is no firewall between"},
		"protocol":      {errors.New("unsupported protocol version 5 for host 10.0.0.1"), "set cassandra.protocol"},
		"no TLS":        {fmt.Errorf("TLS with Cassandra at x: %w", tls.RecordHeaderError{}), "leave cassandra.useSSL out"},
		"authority":     {fmt.Errorf("TLS with Cassandra at x: %w", x509.UnknownAuthorityError{}), "--target-tls-ca"},
		"name":          {fmt.Errorf("TLS with Cassandra at x: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}), "cassandra.tls.verifyhost=false"},
		"certificate":   {fmt.Errorf("TLS with Cassandra at x: %w", &net.OpError{Op: "remote error", Err: errors.New("bad certificate")}), "--target-tls-cert"},
		"anything else": {errors.New("gocql: strange"), "connect to Cassandra at c1:9042: strange; check hosts and port"},
	} {
		c := &Cluster{config: Config{Settings: cassandraspec.Settings{Hosts: []string{"c1:9042"}, Username: "anna", Datacenter: "dc9", ConnectTimeout: 1e9}}}
		c.keep(test.reason)
		require.ErrorContains(t, c.explain(errors.New("gocql: unable to create session")), test.want, name)
	}
}

func TestReplicationHasAShortForm(t *testing.T) {
	simple := Keyspace{Replication: map[string]string{"class": "org.apache.cassandra.locator.SimpleStrategy", "replication_factor": "3"}}
	require.Equal(t, "SimpleStrategy 3", simple.Text())
	require.Equal(t, 3, simple.Copies())
	topology := Keyspace{Replication: map[string]string{"class": "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc2": "1", "dc1": "3"}}
	require.Equal(t, "NetworkTopologyStrategy dc1:3,dc2:1", topology.Text())
	require.Equal(t, 4, topology.Copies())
	require.Equal(t, "S.1", Table{Comment: "created by benchd: S.1"}.Mark())
	require.Empty(t, Table{Comment: "ours"}.Mark())
	require.Equal(t, `"a""b"`, Quote(`a"b`))
	require.Equal(t, `'it''s'`, QuoteText("it's"))
}

func TestSettingsOfNodesHaveOneName(t *testing.T) {
	old := settingsOf(map[string]string{"commitlog_sync": "periodic", "commitlog_sync_period_in_ms": "10000", "authenticator": "org.apache.cassandra.auth.PasswordAuthenticator"})
	require.Equal(t, map[string]string{"cassandra.commitlog_sync": "periodic", "cassandra.commitlog_sync_period": "10000ms", "cassandra.authenticator": "PasswordAuthenticator"}, old)
	now := settingsOf(map[string]string{"commitlog_sync_period": "10000ms", "commitlog_sync_period_in_ms": "10000", "concurrent_reads": "null"})
	require.Equal(t, map[string]string{"cassandra.commitlog_sync_period": "10000ms"}, now)
}
