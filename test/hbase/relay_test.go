//go:build hbase && linux

package hbase

import (
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/relay"
	"github.com/benchd/benchd/test/testcluster"
)

const (
	relayRecords    = 10_000
	relayOperations = 2500
	relayRate       = 1000
)

// relayed is a server behind a relay.
type relayed struct {
	*server
	relay *relay.Relay
	app   string // the program of test/relay/app
}

// behind puts a relay before a server.
func behind(t *testing.T, s *server) relayed {
	t.Helper()
	_, zk, err := net.SplitHostPort(s.quorum)
	require.NoError(t, err)
	cluster, err := s.admin(t).Cluster(t.Context())
	require.NoError(t, err)
	config := relay.Config{Host: "127.0.0.2"}
	ports, all := []string{zk}, []string{cluster.Master}
	for _, r := range cluster.Servers {
		all = append(all, r.Name)
	}
	for _, name := range all {
		parts := strings.Split(name, ",")
		require.Len(t, parts, 3, name)
		config.Name = parts[0]
		ports = append(ports, parts[1])
	}
	slices.Sort(ports)
	for _, p := range slices.Compact(ports) {
		n, err := strconv.Atoi(p)
		require.NoError(t, err)
		config.Ports = append(config.Ports, n)
	}
	r, err := relay.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	to := *s
	to.quorum = net.JoinHostPort(config.Host, zk)
	app := filepath.Join(t.TempDir(), "app")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", app, "github.com/benchd/benchd/test/relay/app").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return relayed{&to, r, app}
}

// reads returns the median time of the reads that have passed, and their number.
func (r relayed) reads(t *testing.T) (time.Duration, int) {
	t.Helper()
	exchanges, untimed := r.relay.Take()
	require.Less(t, untimed, relayOperations/100)
	var took []time.Duration
	for _, e := range exchanges {
		if e.Call == "Get" {
			took = append(took, e.Took)
		}
	}
	require.NotEmpty(t, took)
	return relay.Median(took), len(took)
}

// reported runs a client of benchd, and returns the median service time that the result has.
func (r relayed) reported(t *testing.T, client string) time.Duration {
	t.Helper()
	measured := run(t, r.server, "relay", append(property("recordcount", relayRecords, "readproportion", 1, "updateproportion", 0,
		"operationcount", relayOperations, "hbase.client", client, "seed", 7, "telemetry", false),
		"--threads", "1", "--target", strconv.Itoa(relayRate))...)
	faultless(t, measured)
	phase := measured.Phases[len(measured.Phases)-1]
	i := slices.IndexFunc(phase.Operations, func(o result.Operation) bool { return o.Op == "READ" })
	require.GreaterOrEqual(t, i, 0)
	require.EqualValues(t, relayOperations, phase.Operations[i].Count)
	require.NotNil(t, phase.Operations[i].Service.P50)
	return time.Duration(*phase.Operations[i].Service.P50 * float64(time.Microsecond))
}

// application runs a client in a program without benchd, and returns the median time of its reads.
func (r relayed) application(t *testing.T, client string) time.Duration {
	t.Helper()
	kinds := map[string]string{"native": "socket", "gohbase": "gohbase"}
	stdout, stderr, code := testcluster.Command(t, time.Minute, r.app, kinds[client], r.quorum, "relay", family, strconv.Itoa(relayRate), strconv.Itoa(relayOperations))
	require.Zero(t, code, stderr)
	ns, err := strconv.Atoi(strings.TrimSpace(stdout))
	require.NoError(t, err)
	return time.Duration(ns)
}

// round measures a client of benchd, and then a program without benchd.
func (r relayed) round(t *testing.T, client string) (round relay.Round) {
	t.Helper()
	_, _ = r.relay.Take()
	var n int
	round.Reported = r.reported(t, client)
	round.Relay, n = r.reads(t)
	require.InDelta(t, relayOperations, n, 10, "each operation is one call, and gohbase tries regions by a Get")
	app := r.application(t, client)
	wire, _ := r.reads(t)
	round.Own = app - wire
	t.Logf("%-7s reported %v - relay %v = %v; without benchd %v - relay %v = %v", client,
		round.Reported, round.Relay, round.Reported-round.Relay, app, wire, round.Own)
	return round
}

// The median of the service times that benchd reports is what a relay between client and server sees, and the time that the same
// client takes in a program without benchd: within 20 µs, for one worker that is offered 1000 operations a second, in the
// median of five rounds.
func TestLatenciesAreThoseOfARelay(t *testing.T) {
	on(t, []string{sandbox, three}, func(t *testing.T, s *server) {
		run(t, s, "relay", append(property("recordcount", relayRecords, "hbase.table.create", "recreate"), "--phase", "load", "--threads", "8")...)
		r := behind(t, s)
		rounds := map[string][]relay.Round{}
		for range 5 {
			for _, client := range []string{"native", "gohbase"} {
				rounds[client] = append(rounds[client], r.round(t, client))
			}
		}
		for client, all := range rounds {
			difference, err := relay.Check(all, 20*time.Microsecond)
			require.NoError(t, err, client)
			t.Logf("%-7s differs by %v in the median of %d rounds", client, difference, len(all))
		}
	})
}
