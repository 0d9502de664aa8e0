package sandbox

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/benchd/benchd/internal/doctable"
	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// docs/sandbox.md lists exactly the calls of HBase 2.6 that the sandbox lacks. Each is answered with an exception that
// Java's client can construct, that names the call, and that is not retried. testdata/calls.txt has all calls.
func TestUnsupportedCallsMatchTheDocument(t *testing.T) {
	s := start(t, Options{})
	server := s.Servers()[0].Address
	addresses := map[string]string{
		"ClientService": server, "AdminService": server, "ClientMetaService": server,
		"MasterService": net.JoinHostPort(s.host, strconv.Itoa(int(s.begin.Master.GetPort()))),
	}
	calls, err := os.ReadFile("testdata/calls.txt")
	require.NoError(t, err)
	lacks := map[string][]string{}
	for line := range strings.Lines(string(calls)) {
		service, method, _ := strings.Cut(strings.TrimSpace(line), " ")
		c := dialService(t, addresses[service], service)
		c.send(method, &emptypb.Empty{})
		e := c.answer(&emptypb.Empty{})
		if !strings.Contains(e.GetStackTrace(), "UnsupportedOperationException") {
			continue
		}
		require.Equal(t, "org.apache.hadoop.hbase.DoNotRetryIOException", e.GetExceptionClassName())
		require.True(t, e.GetDoNotRetry())
		require.Contains(t, e.GetStackTrace(), "java.lang.UnsupportedOperationException: the sandbox has no "+method+" (docs/sandbox.md)")
		lacks[service] = append(lacks[service], method)
	}
	listed := map[string][]string{}
	for _, row := range doctable.Tables(doctable.Section(doctable.Read(t, "docs/sandbox.md"), "## Limits"))[0].Rows {
		calls := doctable.Names(row[1])
		slices.Sort(calls)
		listed[row[0]] = calls
	}
	require.Equal(t, lacks, listed)
}

func dialService(t *testing.T, address, service string) *caller {
	t.Helper()
	// Without an encoding for cell blocks, results come as messages.
	greeting, err := proto.Marshal(&hbasepb.ConnectionHeader{ServiceName: &service})
	require.NoError(t, err)
	return greet(t, address, greeting)
}
