package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/wire"
)

// These tables are the security policy of benchd, written by hand: they are compared with what the programs do, and not with the
// table of package access. A cell says what must happen to a peer:
//
//	+     the handler is reached, whatever it answers
//	x     refused: PermissionDenied, 403
//	-     not authenticated: Unauthenticated, 401
//	404   no such path
//	.     no connection: the handshake fails

// handshakes says who a peer (row) is for a listener (column). The other tables have a column for each of these.
//
//nolint:dupword // a table
const handshakes = `
peer            grpc-tls     grpc-socket  grpc-plain  http-tls     http-plain  http-web    agent-tls    agent-plain  agent-web
plain           .            local        trusted     .            trusted     .           .            trusted      stranger
password        .            local        trusted     .            trusted     .           .            trusted      viewer
no-certificate  anonymous    .            .           anonymous    .           anonymous   anonymous    .            .
wrong-CA        .            .            .           .            .           .           .            .            .
expired         .            .            .           .            .           .           .            .            .
not-yet-valid   .            .            .           .            .           .           .            .            .
revoked         .            .            .           .            .           revoked     .            .            .
no-identity     .            .            .           .            .           viewer      .            .            .
agent           agent        .            .           agent        .           agent       agent        .            .
viewer          viewer       .            .           viewer       .           viewer      viewer       .            .
operator        operator     .            .           operator     .           viewer      operator     .            .
granted         granted      .            .           granted      .           viewer      granted      .            .
admin           admin        .            .           admin        .           viewer      admin        .            .
coordinator     coordinator  .            .           coordinator  .           coordinator coordinator  .            .
`

// calls says who may make which call, and which of the calls that were admitted the audit log has. It has all that were refused.
//
//nolint:dupword // a table
const calls = `
call                   anonymous  agent  viewer  operator  granted  admin  coordinator  local  trusted  audit
AgentService/Session   -          +      x       x         x        x      x            +      +        all
AgentService/Trace     -          +      x       x         x        x      x            +      +        refused
EnrollService/Enroll   +          +      +       +         +        +      +            +      +        all
EnrollService/Renew    -          +      x       x         x        x      x            +      +        all
RunService/Submit      -          x      x       +         +        +      x            +      +        all
RunService/Schedule    -          x      x       +         +        +      x            +      +        all
RunService/Schedules   -          x      +       +         +        +      x            +      +        refused
RunService/ChangeSchedule -       x      x       +         +        +      x            +      +        all
RunService/Validate    -          x      +       +         +        +      x            +      +        refused
RunService/Advise      -          x      +       +         +        +      x            +      +        refused
RunService/Watch       -          x      +       +         +        +      x            +      +        refused
RunService/Get         -          x      +       +         +        +      x            +      +        refused
RunService/Histograms  -          x      +       +         +        +      x            +      +        refused
RunService/Chart       -          x      +       +         +        +      x            +      +        refused
RunService/Points      -          x      +       +         +        +      x            +      +        refused
RunService/List        -          x      +       +         +        +      x            +      +        refused
RunService/Submission  -          x      +       +         +        +      x            +      +        refused
RunService/Annotate    -          x      x       +         +        +      x            +      +        all
RunService/Cancel      -          x      x       +         +        +      x            +      +        all
RunService/Remove      -          x      x       +         +        +      x            +      +        all
RunService/Export      -          x      +       +         +        +      x            +      +        refused
RunService/Import      -          x      x       +         +        +      x            +      +        all
RunService/Upload      -          x      x       +         +        +      x            +      +        all
RunService/Agents      -          x      +       +         +        +      x            +      +        refused
RunService/Drain       -          x      x       +         +        +      x            +      +        all
RunService/Act         -          x      x       +         +        +      x            +      +        all
RunService/About       -          +      +       +         +        +      x            +      +        refused
RunService/Audit       -          x      x       x         x        +      x            +      +        all
RunService/Webhooks    -          x      +       +         +        +      x            +      +        refused
RunService/TestWebhook -          x      x       x         x        +      x            +      +        all
RunService/OpenConsole -          x      +       +         +        +      x            +      +        all
`

// actions says who may request an action on each target that has it: outside of a run, in a run, or both. The peer "granted" is an
// operator with the grants of the test. Between = and the next column are the settings of a suite. The row "other" is for the actions that have
// no row, and need no privilege.
//
//nolint:dupword // a table
const actions = `
action                                  anonymous  agent  viewer  operator  granted  admin  coordinator  local  trusted
balance                                 -          x      x       +         +        +      x            +      +
balancer:off                            -          x      x       +         +        +      x            +      +
clear_faults                            -          x      x       x         x        +      x            +      +
compact:benchd_a                        -          x      x       +         +        +      x            +      +
count:benchd_a                          -          x      x       +         +        +      x            +      +
create:benchd_a                         -          x      x       +         +        +      x            +      +
describe:benchd_a                       -          x      x       +         +        +      x            +      +
disable:benchd_a                        -          x      x       +         +        +      x            +      +
delete_snapshot:benchd_a                -          x      x       x         +        +      x            +      +
delete_snapshot:usertable               -          x      x       x         x        +      x            +      +
drain:c1                                -          x      x       x         x        +      x            +      +
drop:benchd_a                           -          x      x       x         +        +      x            +      +
drop:usertable                          -          x      x       x         x        +      x            +      +
enable:benchd_a                         -          x      x       +         +        +      x            +      +
examine                                 -          x      x       +         +        +      x            +      +
fault:kill-server:server=1              -          x      x       x         +        +      x            +      +
fault:stall:server=1                    -          x      x       x         x        +      x            +      +
flush:benchd_a                          -          x      x       +         +        +      x            +      +
hook:restart                            -          x      x       x         +        +      x            +      +
hook:format                             -          x      x       x         x        +      x            +      +
major_compact:benchd_a                  -          x      x       +         +        +      x            +      +
move:6414e613ff343a5f966676d7d7a90674   -          x      x       +         +        +      x            +      +
regions:benchd_a                        -          x      x       +         +        +      x            +      +
restore:benchd_a                        -          x      x       x         +        +      x            +      +
restore:usertable                       -          x      x       x         x        +      x            +      +
servers                                 -          x      x       +         +        +      x            +      +
snapshot:usertable                      -          x      x       +         +        +      x            +      +
snapshot:benchd_a:replace=true          -          x      x       x         +        +      x            +      +
snapshot:usertable:replace=true         -          x      x       x         x        +      x            +      +
split:benchd_a:user5                    -          x      x       +         +        +      x            +      +
tables                                  -          x      x       +         +        +      x            +      +
truncate:benchd_a                       -          x      x       x         +        +      x            +      +
truncate:usertable                      -          x      x       x         x        +      x            +      +
wait_for_quiet                          -          x      x       +         +        +      x            +      +
other                                   -          x      x       +         +        +      x            +      +
hbase.table.create=recreate,benchd_a    -          x      x       x         +        +      x            +      +
hbase.table.create=recreate,usertable   -          x      x       x         x        +      x            +      +
hbase.table.create=missing,usertable    -          x      x       +         +        +      x            +      +
`

// paths says who may read an HTTP path, of a coordinator and of an agent. /sd/agents and those below /api/v1/ and /console/ are
// paths of the coordinator, and /nowhere one that nobody serves. "stranger" gives no password where the web configuration file asks for one.
//
//nolint:dupword // a table
const paths = `
path                  anonymous  agent  viewer  operator  granted  admin  coordinator  revoked  stranger  trusted
/                     -          x      +       +         +        +      x            x        -         +
/metrics              -          x      +       +         +        +      x            x        -         +
/sd/agents            -          x      +       +         +        +      x            x        -         +
/api/v1/suites        -          x      +       +         +        +      x            x        -         +
/console/             -          x      +       +         +        +      x            x        -         +
/console/login        +          +      +       +         +        +      +            x        -         +
/console/logout       +          +      +       +         +        +      +            x        -         +
/healthz              +          +      +       +         +        +      +            x        -         +
/readyz               +          +      +       +         +        +      +            x        -         +
/debug/pprof/         -          x      x       x         x        +      x            x        -         +
/debug/pprof/heap     -          x      x       x         x        +      x            x        -         +
/debug/pprof/cmdline  -          x      x       x         x        +      x            x        -         +
/debug/pprof/profile  -          x      x       x         x        +      x            x        -         +
/debug/pprof/symbol   -          x      x       x         x        +      x            x        -         +
/debug/pprof/trace    -          x      x       x         x        +      x            x        -         +
/nowhere              -          x      x       x         x        x      x            x        -         404
`

// grid is a table with the names of its rows and columns.
type grid struct {
	columns, rows []string
	cells         map[[2]string]string // by row and column
}

func readGrid(t *testing.T, text string) (g grid) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	g.columns, g.cells = strings.Fields(lines[0])[1:], make(map[[2]string]string)
	for _, line := range lines[1:] {
		words := strings.Fields(line)
		require.Len(t, words, len(g.columns)+1, line)
		require.NotContains(t, g.rows, words[0])
		g.rows = append(g.rows, words[0])
		for i, column := range g.columns {
			g.cells[[2]string{words[0], column}] = words[i+1]
		}
	}
	return g
}

func (g grid) at(t *testing.T, row, column string) string {
	t.Helper()
	require.Contains(t, g.rows, row, "the table has no such row")
	require.Contains(t, g.columns, column, "the table has no such column")
	return g.cells[[2]string{row, column}]
}

// methods are the calls of all services of benchd in the descriptors of the generated code.
func methods() (list []protoreflect.MethodDescriptor) {
	protoregistry.GlobalFiles.RangeFilesByPackage("benchd.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			for j := range file.Services().Get(i).Methods().Len() {
				list = append(list, file.Services().Get(i).Methods().Get(j))
			}
		}
		return true
	})
	return list
}

func methodName(m protoreflect.MethodDescriptor) string {
	return string(m.Parent().Name()) + "/" + string(m.Name())
}

func method(t *testing.T, name string) protoreflect.MethodDescriptor {
	t.Helper()
	all := methods()
	i := slices.IndexFunc(all, func(m protoreflect.MethodDescriptor) bool { return methodName(m) == name })
	require.GreaterOrEqual(t, i, 0, name)
	return all[i]
}

// TestEachCallHasARowInTheMatrix fails for a new call, until its row is written.
func TestEachCallHasARowInTheMatrix(t *testing.T) {
	var names []string
	for _, m := range methods() {
		names = append(names, methodName(m))
	}
	require.ElementsMatch(t, names, readGrid(t, calls).rows)
}

// TestEachActionHasARowInTheMatrix fails for a new action of a target that needs a privilege, until its row is written.
func TestEachActionHasARowInTheMatrix(t *testing.T) {
	names := []string{plan.Hook, doctor.Action}
	for _, one := range all.Targets().Descriptors() {
		for _, a := range one.Actions {
			names = append(names, a.Name)
			require.True(t, a.Privilege == "" || slices.Contains(actionRows(t), a.Name), "action %s of %s needs a privilege, and a row", a.Name, one.Name)
		}
	}
	for _, row := range actionRows(t) {
		require.True(t, row == other || slices.Contains(names, row), "no target has the action %s", row)
	}
}

// other is the row of actions without a row.
const other = "other"

// actionRows lists the actions that have rows.
func actionRows(t *testing.T) (names []string) {
	t.Helper()
	for _, row := range readGrid(t, actions).rows {
		if name, _, _ := strings.Cut(row, ":"); !strings.Contains(row, ",") {
			names = append(names, name)
		}
	}
	return names
}

// TestMatrix tries each peer on each listener with each call, each action and each path, and then compares the audit logs with what was
// refused and what was admitted.
func TestMatrix(t *testing.T) {
	m := newMatrix(t)
	peers := readGrid(t, handshakes)
	require.ElementsMatch(t, m.peerNames(), peers.rows)
	require.ElementsMatch(t, m.listenerNames(), peers.columns)
	t.Run("cells", func(t *testing.T) {
		for _, listener := range peers.columns {
			for _, peer := range peers.rows {
				t.Run(listener+"/"+peer, func(t *testing.T) {
					t.Parallel()
					who := peers.at(t, peer, listener)
					if strings.HasPrefix(listener, "grpc-") {
						m.tryCalls(t, listener, peer, who)
						m.tryActions(t, listener, peer, who)
						return
					}
					m.tryPaths(t, listener, peer, who)
					if !strings.HasPrefix(listener, "agent-") {
						m.tryRequests(t, listener, peer, who)
					}
				})
			}
		}
	})
	if !t.Failed() {
		m.checkAudit(t)
	}
}

// tryCalls makes each call as a peer.
func (m *matrix) tryCalls(t *testing.T, listener, peer, who string) {
	t.Helper()
	table, conn := readGrid(t, calls), m.dial(t, listener, peer)
	for _, one := range methods() {
		name := methodName(one)
		text := "{}"
		if name == "RunService/Submit" {
			text = `{"agents": 99}` // without it a run would start
		}
		err := call(t, conn, one, text)
		if who == "." {
			conn = m.dial(t, listener, peer) // the other one waits before it tries again
			assert.Equal(t, codes.Unavailable, status.Code(err), "%s: %v", name, err)
			continue
		}
		want := table.at(t, name, who)
		assertAnswer(t, want, name, err)
		if want != "+" || table.at(t, name, "audit") == "all" {
			m.expect(listener, peer, who, one, want)
		}
	}
}

// assertAnswer checks the answer to a call.
func assertAnswer(t *testing.T, want, what string, err error) {
	t.Helper()
	got := "+"
	switch code := status.Code(err); {
	case code == codes.PermissionDenied:
		got = "x"
	case code == codes.Unauthenticated:
		got = "-"
	case code == codes.Unavailable, code == codes.DeadlineExceeded, code == codes.Unimplemented && strings.Contains(err.Error(), "unknown "):
		got = "not reached"
	}
	assert.Equal(t, want, got, "%s: %v", what, err)
}

// tryActions requests each action on each target that has it as a peer.
func (m *matrix) tryActions(t *testing.T, listener, peer, who string) {
	t.Helper()
	table, conn := readGrid(t, actions), m.dial(t, listener, peer)
	for _, row := range table.rows {
		for _, r := range requests(t, row) {
			one := method(t, "RunService/"+r.call)
			err := call(t, conn, one, r.text)
			if who == "." {
				assert.Equal(t, codes.Unavailable, status.Code(err), "%s: %v", row, err)
				continue
			}
			want := table.at(t, row, who)
			what := r.call + " of " + row + " on " + r.target
			assertAnswer(t, want, what, err)
			if want == "+" { // what it needs is checked before this
				assert.Equal(t, map[string]codes.Code{"Act": codes.NotFound, "Submit": codes.ResourceExhausted}[r.call], status.Code(err), "%s: %v", what, err)
			}
			m.expect(listener, peer, who, one, want)
		}
	}
}

// request is a request for an action.
type request struct{ call, target, text string }

// requests returns the requests for the action of a row: of an agent that does not exist, and in a suite for more agents than there are.
// They are refused only after what they need has been checked.
func requests(t *testing.T, row string) (list []request) {
	t.Helper()
	if setting, table, is := strings.Cut(row, ","); is {
		return []request{submission(t, "hbase", "table="+table, setting)}
	}
	name, arguments, _ := strings.Cut(row, ":")
	words := strings.ReplaceAll(arguments, ":", " ")
	switch name {
	case other:
		return otherRequests(t)
	case doctor.Action:
		return []request{order(t, doctor.Target, name, nil)}
	case plan.Hook:
		for _, one := range all.Targets().Descriptors() {
			list = append(list, submission(t, one.Name, "actions=1s hook "+words))
		}
		return list
	}
	for _, one := range all.Targets().Descriptors() {
		i := slices.IndexFunc(one.Actions, func(a descriptor.Action) bool { return a.Name == name })
		if i < 0 {
			continue
		}
		given := takenBy(one.Actions[i], strings.Fields(words))
		if one.Administers(name) {
			list = append(list, order(t, one.Name, name, argumentsOf(one.Actions[i], given)))
		}
		if !one.Actions[i].AdminOnly {
			list = append(list, submission(t, one.Name, inRun(one.Actions[i], given)))
		}
	}
	require.NotEmpty(t, list, "no target has the action %s", name)
	return list
}

// otherRequests returns the requests for the actions without a row, with the arguments that they require.
func otherRequests(t *testing.T) (list []request) {
	t.Helper()
	for _, one := range all.Targets().Descriptors() {
		for _, a := range one.Actions {
			if slices.Contains(actionRows(t), a.Name) {
				continue
			}
			var words []string
			for range a.Takes[:a.Needs] {
				words = append(words, append(slices.Clone(a.Verb.Choices), "usertable")[0])
			}
			if one.Administers(a.Name) {
				list = append(list, order(t, one.Name, a.Name, argumentsOf(a, words)))
			}
			if !a.AdminOnly {
				list = append(list, submission(t, one.Name, inRun(a, words)))
			}
		}
	}
	return list
}

// inRun is the setting that adds an action to a run.
func inRun(a descriptor.Action, words []string) string {
	text := strings.Join(append([]string{a.Name}, words...), " ")
	if a.Idle {
		return plan.BeforeRunProperty + "=" + text
	}
	return "actions=1s " + text
}

// takenBy returns the words of a row that an action takes: another target's action of that name may take more.
func takenBy(a descriptor.Action, words []string) (taken []string) {
	for i, word := range words {
		if strings.Contains(word, "=") || i < len(a.Takes) {
			taken = append(taken, word)
		}
	}
	return taken
}

func argumentsOf(a descriptor.Action, words []string) map[string]string {
	args := make(map[string]string)
	for i, word := range words {
		if name, value, named := strings.Cut(word, "="); named {
			args[name] = value
		} else {
			args[a.Takes[i]] = word
		}
	}
	return args
}

// order requests an action outside of a run.
func order(t *testing.T, on, name string, args map[string]string) request {
	t.Helper()
	text, err := json.Marshal(map[string]any{"target": on, "name": name, "args": args, "agent": "nobody"})
	require.NoError(t, err)
	return request{call: "Act", target: on, text: string(text)}
}

// submission submits a suite of one run.
func submission(t *testing.T, on string, settings ...string) request {
	t.Helper()
	settings = append(settings, "db="+on, "recordcount=100", "duration=5s", "readproportion=1", "updateproportion=0")
	described, ok := all.Targets().Descriptors().Find(on)
	require.True(t, ok, on)
	switch {
	case on == "hbase":
		settings = append(settings, "hbase.zookeeper.quorum=127.0.0.1:1", "columnfamily=f")
	case described.Where != "":
		settings = append(settings, described.Where)
	}
	var properties []map[string]string
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		properties = append(properties, map[string]string{"key": key, "value": value})
	}
	text, err := json.Marshal(map[string]any{"submission": map[string]any{"properties": properties}, "agents": 99})
	require.NoError(t, err)
	return request{call: "Submit", target: on, text: string(text)}
}

// tryPaths reads each path as a peer, and compares the table with the paths that the server lists, which are all that it serves.
func (m *matrix) tryPaths(t *testing.T, listener, peer, who string) {
	t.Helper()
	table, client := readGrid(t, paths), m.client(t, peer)
	ofAgent := strings.HasPrefix(listener, "agent-")
	for _, path := range table.rows {
		if ofAgent && ofCoordinator(path) {
			continue
		}
		code, body, err := m.read(t, client, listener, peer, path)
		if who == "." {
			assert.True(t, err != nil || code == http.StatusBadRequest, "%s: %d", path, code) // the latter for plain text on a port with TLS
			continue
		}
		require.NoError(t, err, path)
		want, got := table.at(t, path, who), "+"
		switch code {
		case http.StatusUnauthorized:
			got = "-"
		case http.StatusForbidden:
			got = "x"
		case http.StatusNotFound:
			got = "404"
		}
		assert.Equal(t, want, got, "%s: %d %s", path, code, body)
		if want == "x" || want == "-" {
			m.expectPath(listener, peer, who, path)
		}
		if path == "/" && want == "+" {
			listed := append(strings.Fields(strings.ReplaceAll(body, "/api/v1/\n", "/api/v1/suites\n")), "/", "/nowhere", "/debug/pprof/heap")
			if !ofAgent {
				listed = append(listed, "/console/login", "/console/logout")
			}
			served := slices.DeleteFunc(slices.Clone(table.rows), func(path string) bool { return ofAgent && ofCoordinator(path) })
			assert.ElementsMatch(t, served, listed)
		}
	}
}

// ofCoordinator reports whether only a coordinator serves a path.
func ofCoordinator(path string) bool {
	return path == "/sd/agents" || strings.HasPrefix(path, "/api/v1/") || strings.HasPrefix(path, "/console/")
}

// checkAudit compares the audit logs of the coordinators, which it stops, with what the cells expect.
func (m *matrix) checkAudit(t *testing.T) {
	t.Helper()
	for listener, c := range m.coordinators {
		require.NoError(t, c.stop())
		content, err := os.ReadFile(c.audit)
		require.NoError(t, err)
		got := make(map[string]int)
		for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
			var r audit.Record
			require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
			if listener == "grpc-socket" && !strings.Contains(r.Call, " /") {
				require.NotEmpty(t, r.From, lines.Text())
			} else {
				require.Regexp(t, `^127\.0\.0\.1:\d+$`, r.From, lines.Text())
			}
			require.False(t, r.Time.IsZero(), lines.Text())
			outcome := "refused"
			if r.Outcome != audit.Refused {
				outcome = "admitted"
			} else {
				require.NotEmpty(t, r.Reason, lines.Text())
			}
			if r.Outcome == audit.Refused && r.Call == "Act" && (r.Role == "operator" || r.Role == "admin") {
				require.NotEmpty(t, r.Details["action"], lines.Text())
				require.NotEmpty(t, r.Details["target"], lines.Text())
			}
			if r.Call == "Session" && (r.Claims == "client-1" || r.Who == "client-1") {
				continue // of the agent that the test has started
			}
			if r.Call == "handshake" {
				continue // gRPC tries again when it likes
			}
			got[fmt.Sprintf("%s %s %q %s", outcome, r.Role, r.Who, r.Call)] += max(r.Times, 1)
		}
		require.Equal(t, m.expected[listener], got, "the audit log of %s", listener)
	}
}

// TestAnAgentSpeaksAsTheNameInItsCertificate opens sessions of agents under several names.
func TestAnAgentSpeaksAsTheNameInItsCertificate(t *testing.T) {
	ca := certstest.NewCA(t)
	data := t.TempDir()
	c := start(t, append([]string{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", data},
		tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca))...)...)
	m := &matrix{
		peers:     map[string]peer{"client-1": {tls: acceptsAll(ca.Identify(t, identity.Agent, "client-1").TLS)}},
		listeners: map[string]string{"grpc": c.logs(`coordinator listens.* grpc=(\S+) http`)[0]},
	}
	hello := func(name string) error {
		text := fmt.Sprintf(`{"hello": {"protocol": %d, "name": %q, "bootId": "b"}}`, wire.Protocol, name)
		return call(t, m.dial(t, "grpc", "client-1"), method(t, "AgentService/Session"), text)
	}
	require.NoError(t, hello("client-1"))
	for _, name := range []string{"client-2", "CLIENT-1", "client-1.", "a-agent"} {
		err := hello(name)
		require.Equal(t, codes.PermissionDenied, status.Code(err), "%s: %v", name, err)
		require.ErrorContains(t, err, fmt.Sprintf("client-1 (agent) may not serve as agent %q: start it with --name client-1", name))
	}
	content, err := os.ReadFile(filepath.Join(data, "audit.jsonl"))
	require.NoError(t, err)
	require.Regexp(t, `"who":"client-1","role":"agent","serial":"[0-9a-f]+","claims":"client-2","from":"127.0.0.1:\d+","call":"Session","outcome":"refused","reason":".*may not serve as agent`, string(content))
}

// TestRefusedHandshakesAreInTheAuditLog connects each peer that is refused to a coordinator of its own, because refusals of one second are
// counted together.
func TestRefusedHandshakesAreInTheAuditLog(t *testing.T) {
	ca := certstest.NewCA(t)
	m := &matrix{peers: make(map[string]peer), listeners: make(map[string]string)}
	deny := filepath.Join(t.TempDir(), "revoked")
	require.NoError(t, os.WriteFile(deny, []byte(m.addPeers(t, ca)+"\n"), 0o600))
	flags := append(tlsFlags(ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca)), "--tls-revoked", deny)
	for name, test := range map[string]struct{ claims, reason string }{
		"plain":         {"", "first record does not look like a TLS handshake"},
		"wrong-CA":      {"root (admin)", "certificate signed by unknown authority"},
		"expired":       {"root (admin)", "certificate has expired or is not yet valid: current time .* is after"},
		"not-yet-valid": {"root (admin)", "certificate has expired or is not yet valid: current time .* is before"},
		"revoked":       {"", `the certificate of former \(admin\) with the serial number [0-9a-f]+ is revoked`},
		"no-identity":   {"", "the certificate has no identity of benchd"},
	} {
		data := t.TempDir()
		c := start(t, slices.Concat([]string{"coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", data}, flags)...)
		m.listeners[name] = c.logs(`coordinator listens.* grpc=(\S+) http`)[0]
		require.Equal(t, codes.Unavailable, status.Code(call(t, m.dial(t, name, name), method(t, "RunService/About"), "{}")), name)
		var r audit.Record
		require.Eventually(t, func() bool {
			content, err := os.ReadFile(filepath.Join(data, "audit.jsonl"))
			require.NoError(t, err)
			line, _, whole := bytes.Cut(content, []byte("\n"))
			return whole && json.Unmarshal(line, &r) == nil
		}, tolerance.Patience, 10*time.Millisecond, name)
		require.Equal(t, "refused handshake anonymous", fmt.Sprint(r.Outcome, " ", r.Call, " ", r.Role), name)
		require.Equal(t, test.claims, r.Claims, name)
		require.Regexp(t, test.reason, r.Reason, name)
		require.Regexp(t, `^127\.0\.0\.1:\d+$`, r.From, name)
	}
}
