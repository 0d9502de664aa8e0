//go:build secure

package secure

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

// ticketsVariable is the variable by which a make target sets how long the run with short tickets lasts.
const ticketsVariable = "BENCHD_TEST_TICKETS"

// ticketRun is how long the run with short tickets lasts.
func ticketRun() time.Duration {
	const least = time.Minute
	d, _ := time.ParseDuration(os.Getenv(ticketsVariable)) // the test checks it
	return max(d, least)
}

// ticketLife is the life of alice's tickets: they expire several times in the run.
func ticketLife() time.Duration {
	if ticketRun() >= 15*time.Minute {
		return 5 * time.Minute
	}
	return ticketRun() / 5
}

// While two agents work, their tickets expire several times: one logs in by its keytab again, the other takes those that kinit writes.
// Their connections break again and again, because all region servers pause, and because one is killed and another process takes its
// place. No operation fails, and what was acknowledged is there. Open connections need no ticket: only new ones show that there is one.
func TestTicketsAreRenewedUnderLoad(t *testing.T) {
	const table, records, agents = "tickets", 3000, 2
	if text := os.Getenv(ticketsVariable); text != "" {
		d, err := time.ParseDuration(text)
		require.NoError(t, err, ticketsVariable)
		require.Equal(t, ticketRun(), d, "%s is a minute or more", ticketsVariable)
	}
	c, lasts, life := share(t, "kerberos"), ticketRun(), ticketLife()
	h := testcluster.New(t)
	byKeytab := h.Agent("keytab", slices.Concat(c.client(), []string{"--label", "work=load"})...)
	byCache := h.Agent("cache", slices.Concat(c.realm(), c.certificate(), []string{"--label", "work=load", "--kerberos-cache", kept(t, c, life)})...)
	h.Agent("operator", slices.Concat(c.realm(), c.certificate(), []string{
		"--kerberos-keytab", c.file("kdc", "servers.keytab"), "--kerberos-principal", "hbase/localhost@" + realm,
	})...)
	h.Connected(agents + 1)

	base := slices.Concat([]string{"--db", "hbase", "--hbase-conf", c.file("client"), "--threads", "8", "--select", "work=load"},
		property("table", table, "columnfamily", "family", "recordcount", records, "fieldcount", 3, "fieldlength", 50, "dataintegrity", true,
			"hbase.rpc.timeout", 2000, "hbase.client.operation.timeout", 120_000))
	stdout, stderr, code := h.Ctl(slices.Concat([]string{"submit", "--wait", "-o", "json", "--phase", "load"}, base,
		property("hbase.splits", 6, "hbase.table.create", "recreate"))...)
	require.Zero(t, code, "%s%s", stderr, stdout)

	before, lives := issued(t, c), int(lasts/life)
	id := h.Submit(slices.Concat(base, property("operationcount", 0, "readproportion", 0.4, "updateproportion", 0.3, "insertproportion", 0.2,
		"scanproportion", 0.1, "maxscanlength", 20, "target", 500, "telemetry.interval", "1s"), []string{"--duration", lasts.String()})...)
	testcluster.Eventually(t, testcluster.Patience, func() bool { return h.Status(id) == "running" }, "the run should begin")
	begin := time.Now()
	breaks, back := 0, time.Duration(0)
	for at := life * 9 / 10; at < lasts-life/6; at += life * 9 / 10 {
		if time.Since(begin) > at { // the server was away for long
			continue
		}
		require.Equal(t, "running", until(t, h, id, begin.Add(at)), "the run should go on: %s", h.Show(id).Reason)
		if breaks++; breaks == 2 {
			replace(t, c, h, table)
			back = time.Since(begin)
		} else {
			pause(t, c)
		}
	}
	require.NotEqual(t, "running", until(t, h, id, begin.Add(lasts+3*time.Minute)))
	got := issued(t, c).since(before)
	t.Logf("the KDC's log, since the run began: %+v", got)

	r := h.Show(id)
	for _, e := range r.Phases[0].Errors {
		t.Logf("%s %s at %s: %s", e.Op, e.Outcome, e.Agent, e.Message)
	}
	for _, o := range r.Phases[0].Operations {
		t.Logf("%s %s: %d, at most %.1f ms", o.Op, o.Outcome, o.Count, o.Max/1000)
	}
	t.Logf("%d operations in %.1f s, retries: %v, warnings: %q", r.Phases[0].Ops, r.Phases[0].Seconds, r.Phases[0].Retries, r.Warnings)
	testcluster.RequireConsistent(t, r, agents)
	for _, e := range r.Phases[0].Errors {
		require.NotRegexp(t, `(?i)ticket|kerberos|kinit|keytab|kdc|sasl|gss`, e.Message)
	}
	faultless(t, r)
	busy(t, r.Phases[0], life, lasts, back)
	for _, log := range []string{byKeytab.Log(), byCache.Log()} {
		require.NotRegexp(t, `has expired|refuses the ticket|no KDC|gives no new one`, log)
	}
	least := max(3, lives-1) // a client without renewals logs in once for the run, and once for telemetry
	require.GreaterOrEqual(t, got.logins, least, "alice logs in at the begin, and again when connections break after her ticket's life")
	require.GreaterOrEqual(t, got.alice, least, "each login gets tickets of the servers")
	require.GreaterOrEqual(t, got.bob, least, "new tickets of kinit get new tickets of the servers")
	require.EqualValues(t, records+inserts(r), rowsOf(t, h, c, table), "rows of the table")
}

// certificate returns the flags of an agent's certificate.
func (c *cluster) certificate() []string {
	return []string{"--target-tls-cert", c.file("client", "client.pem"), "--target-tls-ca", c.file("client", "ca.pem")}
}

// kept returns a credential cache of bob, which kinit writes again three times in the life of his tickets, until the test ends.
func kept(t *testing.T, c *cluster, life time.Duration) string {
	t.Helper()
	cache := filepath.Join(t.TempDir(), "cache")
	renew := func() (string, error) {
		return tool(t, c.realm()[1], "", "kinit", "-l", fmt.Sprintf("%ds", int(life.Seconds())), "-c", "FILE:"+cache, "-k", "-t", c.file("kdc", "bob.keytab"), "bob")
	}
	out, err := renew()
	require.NoError(t, err, out)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(life / 3):
			}
			if out, err := renew(); err != nil && t.Context().Err() == nil {
				t.Errorf("kinit: %v: %s", err, out)
			}
		}
	}()
	t.Cleanup(func() {
		close(end)
		<-ended
	})
	return cache
}

// until waits for an instant, or for the end of the run if that is earlier, and returns the run's status.
func until(t *testing.T, h *testcluster.Cluster, id string, at time.Time) string {
	t.Helper()
	const look = 500 * time.Millisecond
	for {
		status := h.Status(id)
		if left := time.Until(at); status != "running" || left <= 0 {
			return status
		}
		wait(t, min(look, time.Until(at)))
	}
}

// pause stops all region servers for longer than a client waits for an answer: it closes its connections, and makes new ones.
func pause(t *testing.T, c *cluster) {
	t.Helper()
	var pids []int
	for name, pid := range processes(t, c) {
		if strings.HasPrefix(name, "regionserver-") {
			pids = append(pids, pid)
		}
	}
	require.Len(t, pids, 3)
	signal := func(s syscall.Signal) {
		for _, pid := range pids {
			require.NoError(t, syscall.Kill(pid, s))
		}
	}
	defer signal(syscall.SIGCONT)
	signal(syscall.SIGSTOP)
	wait(t, 4*time.Second) // ZooKeeper waits for 10 s
}

// wait waits for a time, or for the end of the test.
func wait(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}

// processes returns the ids of the cluster's processes by name.
func processes(t *testing.T, c *cluster) map[string]int {
	t.Helper()
	stdout, stderr, code := testcluster.Command(t, soon, script(), "pids", "--dir", c.dir)
	require.Zero(t, code, stderr)
	all := map[string]int{}
	for line := range strings.Lines(stdout) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(text)
		require.NoError(t, err, line)
		all[name] = pid
	}
	return all
}

// replace kills a region server and starts it again. Then it moves a region to it, so that the agents connect to it.
func replace(t *testing.T, c *cluster, h *testcluster.Cluster, table string) {
	t.Helper()
	begin := time.Now()
	regions := operate(t, h, c, "regions", table).Rows
	require.Greater(t, len(regions), 2)
	victim := fmt.Sprint(regions[0][3])
	port := strings.Split(victim, ",")[1]
	require.NoError(t, syscall.Kill(processes(t, c)["regionserver-"+number(t, c, port)], syscall.SIGKILL))
	stdout, stderr, code := testcluster.Command(t, soon, script(), "add", "--heap", "512m", "--dir", c.dir)
	require.Zero(t, code, stderr)
	t.Logf("killed %s, %s took its place after %.1f s", victim, strings.TrimSpace(stdout), time.Since(begin).Seconds())
	var fresh string
	testcluster.Eventually(t, testcluster.Patience, func() bool { // the regions are open elsewhere, and the master lists the new server
		for _, s := range operate(t, h, c, "servers").Rows {
			if name := fmt.Sprint(s[0]); s[1] == "region server" && name != victim && strings.Split(name, ",")[1] == port {
				fresh = name
			}
		}
		regions = operate(t, h, c, "regions", table).Rows
		return fresh != "" && !strings.Contains(fmt.Sprint(regions), victim)
	}, "the regions of %s should be opened by other servers", victim)
	for _, region := range regions[:2] {
		operate(t, h, c, "move", fmt.Sprint(region[0]), "--to", fresh)
	}
	require.Equal(t, fresh, operate(t, h, c, "regions", table).Rows[0][3])
	t.Logf("%s has regions after %.1f s", fresh, time.Since(begin).Seconds())
}

// number returns the number of the region server with a port.
func number(t *testing.T, c *cluster, port string) string {
	t.Helper()
	instance, err := os.ReadFile(c.file("conf", "instance"))
	require.NoError(t, err)
	first := regexp.MustCompile(`(?m)^rs=(\d+)$`).FindSubmatch(instance)
	require.NotNil(t, first, "%s", instance)
	from, err := strconv.Atoi(string(first[1]))
	require.NoError(t, err)
	own, err := strconv.Atoi(port)
	require.NoError(t, err)
	return strconv.Itoa(own - from + 1)
}

// operate makes an action by the agent of the operator, whose tickets are not counted.
func operate(t *testing.T, h *testcluster.Cluster, c *cluster, words ...string) testcluster.Answer {
	t.Helper()
	return h.Administer("hbase", []string{"--hbase-conf", c.file("client"), "--agent", "operator"}, words...)
}

// rowsOf counts the rows of a table.
func rowsOf(t *testing.T, h *testcluster.Cluster, c *cluster, table string) any {
	t.Helper()
	return operate(t, h, c, "count", table).Rows[0][1]
}

// tickets are the tickets that the KDC has issued.
type tickets struct {
	logins     int // of alice
	kinits     int // of bob
	alice, bob int // tickets of the servers
}

func (n tickets) since(before tickets) tickets {
	return tickets{n.logins - before.logins, n.kinits - before.kinits, n.alice - before.alice, n.bob - before.bob}
}

// issued counts them in the KDC's log.
func issued(t *testing.T, c *cluster) tickets {
	t.Helper()
	log, err := os.ReadFile(c.file("logs", "kdc.log"))
	require.NoError(t, err)
	count := func(request, client, service string) int {
		pattern := regexp.MustCompile(`: ` + request + ` .* ISSUE: .*, ` + client + `@` + realm + ` for ` + service)
		return len(pattern.FindAll(log, -1))
	}
	return tickets{
		logins: count("AS_REQ", "alice", "krbtgt/"), kinits: count("AS_REQ", "bob", "krbtgt/"),
		alice: count("TGS_REQ", "alice", "hbase/"), bob: count("TGS_REQ", "bob", "hbase/"),
	}
}

// busy requires that operations succeeded in parts of a run that last as long as a ticket, until its end. There may be none while the
// regions of the killed server are opened, which can take longer than a short ticket lives, and on a busy machine until after the run's end.
func busy(t *testing.T, p result.Phase, life, lasts, back time.Duration) {
	t.Helper()
	parts := make([]uint64, int(lasts/life))
	for _, point := range p.Series {
		if i := int(point.T / life.Seconds()); i < len(parts) && !point.Tail {
			for _, o := range point.Operations {
				if o.Outcome == "OK" && o.PartOf == nil {
					parts[i] += o.Count
				}
			}
		}
	}
	t.Logf("operations in each life of a ticket: %v", parts)
	if back < lasts-life {
		require.Positive(t, parts[len(parts)-1], "the run goes on to its end")
	}
	require.GreaterOrEqual(t, len(slices.DeleteFunc(parts, func(n uint64) bool { return n == 0 })), 3, "the run goes on in several lives of a ticket")
}
