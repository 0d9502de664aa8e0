//go:build faults

package faults

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/target/postgres/postgrestest"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/test/testcluster"
)

// leadsWithin is the documented time until a standby leads.
const leadsWithin = 10 * time.Second

// pair is a site with two coordinators, each on a host of its own, whose archive is in a database on the network.
type pair struct {
	*site
	members map[string]*machine
	url     string // of the archive
}

// newPair makes a site whose coordinator a leads. The database is in dir, or somewhere.
func newPair(t *testing.T, dir string) *pair {
	t.Helper()
	p := &pair{site: &site{network: newNetwork(t), agents: map[string]*machine{}}, members: map[string]*machine{}}
	if dir == "" {
		var err error
		dir, err = os.MkdirTemp("", "faults") //nolint:usetesting // the server's user must reach it, and those of a test are for its own user
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	p.url = startDatabase(t, p.test(), dir)
	var addresses []string
	for _, name := range []string{"a", "b"} {
		m := &machine{host: p.host("coord-" + name)}
		m.args = []string{
			"coordinator", "--archive", p.url, "--listen", m.ip + ":7070", "--http", m.ip + ":7071", "--data", t.TempDir(), "--insecure",
		}
		p.members[name] = m
		addresses = append(addresses, m.ip+":7070")
	}
	p.at, p.clients = p.members["a"].host, strings.Join(addresses, ",")
	p.startMember("a")
	p.waitToLead("a", testcluster.Patience)
	p.coordinator = p.members["a"].Process
	p.startMember("b")
	p.waitToStandBy("b")
	p.startAgents(nil)
	return p
}

// startDatabase starts a PostgreSQL in dir at an address of this machine, and returns its URL.
func startDatabase(t *testing.T, at, dir string) string {
	t.Helper()
	require.NoError(t, os.Chmod(dir, 0o755))
	clients := filepath.Join(dir, "clients.conf")
	require.NoError(t, os.WriteFile(clients, []byte("host postgres all 127.0.0.1/32 trust\nhost postgres all 10.0.0.0/8 trust\n"), 0o644))
	server, err := postgrestest.Start(t.Context(), dir, postgrestest.Options{Settings: map[string]string{
		"listen_addresses": "127.0.0.1," + at, "hba_file": clients, "shared_buffers": "32MB", "max_wal_size": "64MB",
	}})
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	_, port, err := net.SplitHostPort(server.Address())
	require.NoError(t, err)
	return "postgres://postgres@" + net.JoinHostPort(at, port) + "/postgres"
}

func (p *pair) startMember(name string) {
	p.t.Helper()
	m := p.members[name]
	m.Process = m.start("benchd", m.args...)
}

// http returns the status and the text of a page of a coordinator; 0 without an answer.
func (p *pair) http(name, path string) (status int, text string) {
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.members[name].ip+":7071"+path, http.NoBody)
	require.NoError(p.t, err)
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, ""
	}
	return answer.StatusCode, string(body)
}

// waitToLead waits until a coordinator leads and answers.
func (p *pair) waitToLead(name string, within time.Duration) {
	p.t.Helper()
	began := time.Now()
	testcluster.Eventually(p.t, within+tolerance.Stall, func() bool {
		_, metrics := p.http(name, "/metrics")
		return strings.Contains(metrics, "\nbenchd_leader 1\n")
	}, "coordinator %s should lead; it printed: %s", name, p.members[name].Log())
	p.t.Logf("coordinator %s leads after %s", name, time.Since(began).Round(100*time.Millisecond))
	testcluster.Eventually(p.t, testcluster.Patience, func() bool {
		status, _ := p.http(name, "/readyz")
		return status == http.StatusOK
	}, "coordinator %s should be ready; it printed: %s", name, p.members[name].Log())
}

func (p *pair) waitToStandBy(name string) {
	p.t.Helper()
	testcluster.Eventually(p.t, testcluster.Patience, func() bool {
		status, text := p.http(name, "/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(text, "it is a standby of ")
	}, "coordinator %s should be a standby; it printed: %s", name, p.members[name].Log())
}

// followed waits until all agents are connected to a coordinator.
func (p *pair) followed(name string) {
	p.t.Helper()
	for _, m := range p.agents {
		testcluster.Eventually(p.t, testcluster.Patience, func() bool {
			_, after, lost := strings.Cut(m.Log(), "lost the connection to the coordinator")
			return lost && strings.Contains(after, "msg=connected") && strings.Contains(after, "coordinator="+p.members[name].ip+":7070")
		}, "an agent should follow to coordinator %s; it printed: %s", name, m.Log())
	}
}

// lost checks that a coordinator that no longer leads has ended by itself.
func (p *pair) lost(name string) {
	p.t.Helper()
	m := p.members[name]
	require.Equal(p.t, 5, m.Exit(testcluster.Patience), m.Log())
	require.Contains(p.t, m.Log(), "benchd: this coordinator no longer leads")
}

// stored checks in the database that each window of the run is stored once and that none is missing between the others.
func (p *pair) stored(e ending) {
	p.t.Helper()
	db, err := pgx.Connect(p.t.Context(), p.url+"?search_path=benchd")
	require.NoError(p.t, err)
	defer func() { _ = db.Close(context.WithoutCancel(p.t.Context())) }()
	rows, err := db.Query(p.t.Context(), `SELECT w.shard, count(*), count(DISTINCT w.seq), max(w.seq) - min(w.seq) + 1
		FROM "window" w JOIN phase p ON p.id = w.phase WHERE p.run = $1 GROUP BY w.phase, w.shard, w.attempt`, e.id+".1")
	require.NoError(p.t, err)
	shards := 0
	for rows.Next() {
		var shard, windows, distinct, between int
		require.NoError(p.t, rows.Scan(&shard, &windows, &distinct, &between))
		require.Equal(p.t, windows, distinct, "shard %d", shard)
		require.Equal(p.t, windows, between, "shard %d", shard)
		require.GreaterOrEqual(p.t, windows, int(long.Seconds()), "shard "+strconv.Itoa(shard))
		shards++
	}
	require.NoError(p.t, rows.Err())
	require.Equal(p.t, len(p.agents), shards)
}

func TestLeaderKilled(t *testing.T) {
	t.Parallel()
	p := newPair(t, "")
	e := p.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		p.members["a"].Signal(syscall.SIGKILL)
		p.members["a"].Exit(testcluster.Patience)
		p.waitToLead("b", leadsWithin)
		p.followed("b")
		p.startMember("a")
		p.waitToStandBy("a")
	}, load()...)
	e.whole(t)
	p.stored(e)
}

func TestLeaderStoppedAndContinued(t *testing.T) {
	t.Parallel()
	p := newPair(t, "")
	e := p.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		p.members["a"].Signal(syscall.SIGSTOP)
		p.waitToLead("b", leadsWithin)
		p.followed("b")
		p.members["a"].Signal(syscall.SIGCONT)
		p.lost("a")
	}, load()...)
	e.whole(t)
	p.stored(e)
}

func TestLeaderCutOff(t *testing.T) {
	t.Parallel()
	p := newPair(t, "")
	e := p.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		p.members["a"].swallow()
		p.waitToLead("b", leadsWithin)
		p.lost("a")
		p.followed("b")
		p.members["a"].restore()
		p.startMember("a")
		p.waitToStandBy("a")
	}, load()...)
	e.whole(t)
	p.stored(e)
}

// TestLeadersTakeTurns stops one leader after another, as for an upgrade: each yields, and the other one leads at once.
func TestLeadersTakeTurns(t *testing.T) {
	t.Parallel()
	p := newPair(t, "")
	e := p.run(func(begun time.Time) {
		leader, other := "a", "b"
		for i := range 3 {
			at(t, begun, time.Duration(8+15*i)*time.Second)
			p.members[leader].Signal(syscall.SIGTERM)
			p.waitToLead(other, leadsWithin/2)
			require.Zero(t, p.members[leader].Exit(testcluster.Patience), p.members[leader].Log())
			p.startMember(leader)
			p.waitToStandBy(leader)
			leader, other = other, leader
		}
	}, load()...)
	e.whole(t)
	p.stored(e)
}

// TestDatabaseOnAFullDisk takes the space of the server that has the archive for 20 s. Afterwards the leader stores what the agents have kept.
func TestDatabaseOnAFullDisk(t *testing.T) {
	t.Parallel()
	small, err := os.MkdirTemp("", "faults") //nolint:usetesting // the server's user must reach it, and those of a test are for its own user
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.Remove(small) })
	mountSmall(t, small, "200m")
	p := newPair(t, small)
	e := p.run(func(begun time.Time) {
		at(t, begun, 10*time.Second)
		empty := fill(t, small)
		p.members["a"].Says("the disk of the server is full: free some space there")
		at(t, begun, 30*time.Second)
		empty()
	}, load()...)
	e.whole(t)
	p.stored(e)
}
