package testcluster

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/result"
)

// Reader runs the commands of a document in their order, as a user who follows it does. The machine differs from the document's
// in addresses and folders, which are replaced; a `make build` puts the programs of this checkout into bin; a daemon is
// started and left running.
type Reader struct {
	Quorum string                                  // HOST:PORT of the ZooKeeper that --db hbase finds
	Skip   func(command string) (reason string)    // why a command does not run here; "" if it does
	Whole  func(command string) bool               // whether sizes and times stay as they are; nil reduces all
	Edit   func(command string) string             // other changes of a command; may be nil
	Result func(command string, all ...result.Run) // is called with each result; may be nil

	t           *testing.T
	session     *Session
	coordinator string // HOST:PORT
	newest      string // the id of the newest result that was printed
}

// NewReader makes a Reader that starts in a folder.
func NewReader(t *testing.T, dir string) *Reader {
	t.Helper()
	r := &Reader{t: t, session: NewSession(t, dir), coordinator: "127.0.0.1:" + Port(t)}
	r.session.Set("BENCHD_HTTP", "127.0.0.1:"+Port(t))
	r.session.Set("BENCHD_SPOOL", t.TempDir())
	r.session.Set("BENCHCTL_OUTPUT", "json")
	// Documents clone this checkout.
	for i, setting := range [][2]string{{"url." + Root() + ".insteadOf", "https://github.com/benchd/benchd"}, {"safe.directory", "*"}} {
		r.session.Set(fmt.Sprintf("GIT_CONFIG_KEY_%d", i), setting[0])
		r.session.Set(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i), setting[1])
		r.session.Set("GIT_CONFIG_COUNT", strconv.Itoa(i+1))
	}
	return r
}

// Follow runs the commands of a document of this checkout, and returns how many it ran.
func (r *Reader) Follow(document string) (ran int) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(), filepath.FromSlash(document)))
	require.NoError(r.t, err)
	for _, block := range doctable.Blocks(string(text)) {
		for _, command := range block.Commands() {
			if r.run(fmt.Sprintf("%s:%d", document, command.Line), command.Text) {
				ran++
			}
		}
	}
	return ran
}

// run runs a command line, unless it runs elsewhere.
func (r *Reader) run(place, command string) bool {
	r.t.Helper()
	if r.Skip != nil && r.Skip(command) != "" {
		return false
	}
	const within = 2 * time.Minute
	command = r.here(command)
	words := strings.Fields(strings.TrimPrefix(command, "bin/"))
	r.t.Logf("%s: %s", place, command)
	switch {
	case len(words) >= 2 && words[0] == "make" && words[1] == "build":
		r.build()
	case len(words) >= 2 && words[0] == "benchd" && words[1] != "doctor" && words[1] != "archive":
		r.start(command, words[1])
	case words[0] == "benchctl" || words[0] == "export" || words[0] == "cd" || words[0] == "git":
		stdout, stderr, code := r.session.Run(within, command)
		ok := code == 0 || len(words) >= 2 && words[1] == "doctor" && code == 1 // it may find faults of this machine
		require.True(r.t, ok, "%s: %s ended with exit code %d:\n%s%s", place, command, code, stdout, stderr)
		r.check(place, command, stdout)
	default:
		require.Fail(r.t, "a command of a document runs in no test", "%s: %s: let the reader of the test run it, or add it to the list of commands that it skips, with a reason", place, command)
	}
	return true
}

// build puts the programs into bin, as `make build` does.
func (r *Reader) build() {
	r.t.Helper()
	bin := filepath.Join(r.session.Dir(), "bin")
	require.NoError(r.t, os.MkdirAll(bin, 0o700))
	for _, name := range []string{"benchd", "benchctl"} {
		link := filepath.Join(bin, name)
		require.NoError(r.t, os.RemoveAll(link))
		require.NoError(r.t, os.Symlink(Program(name), link))
	}
}

// start starts a daemon and waits until others can use it.
func (r *Reader) start(command, daemon string) {
	r.t.Helper()
	p := r.session.Start(command)
	Eventually(r.t, Patience, func() bool {
		stdout, _, code := Run(r.t, time.Minute, "benchctl", "agents", "-o", "json", "--coordinator", r.coordinator)
		return code == 0 && (daemon != "agent" || strings.Contains(strings.ReplaceAll(stdout, " ", ""), `"connected":true`))
	}, "%s should answer; it printed: %s", command, p.Log())
}

// check checks the output of a command, if it is a result.
func (r *Reader) check(place, command, stdout string) {
	r.t.Helper()
	var document struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
		Runs []result.Run
	}
	if json.Unmarshal([]byte(stdout), &document) != nil {
		return
	}
	switch document.Kind {
	case "run":
		document.Runs = []result.Run{Parse(r.t, stdout)}
	case "suite":
	default:
		return
	}
	r.newest = document.ID
	for _, run := range document.Runs {
		RequireConsistent(r.t, run, len(run.Provenance.Agents))
	}
	require.NotEmpty(r.t, document.Runs, "%s: %s printed no run", place, command)
	if r.Result != nil {
		r.Result(command, document.Runs...)
	}
}

// here adapts a command line of a document to this machine.
func (r *Reader) here(command string) string {
	r.t.Helper()
	edit := func(pattern, replacement string) {
		command = regexp.MustCompile(pattern).ReplaceAllString(command, replacement)
	}
	edit(`\b10\.0\.0\.1:7070\b`, r.coordinator)
	edit(`/var/lib/benchd\b`, filepath.Join(r.session.state, "data"))
	edit(`\bzk1(:2181)?\b(,zk\d(:2181)?\b)*`, r.Quorum)
	edit(`[\w/]*\bhbase-site\.xml`, r.site())
	if strings.Contains(command, "--db hbase") && !strings.Contains(command, "hbase.zookeeper.quorum=") && !strings.Contains(command, "--hbase-site") {
		command = Append(command, "--hbase-site "+r.site())
	}
	if r.Whole == nil || !r.Whole(command) {
		edit(`--duration \S+`, "--duration 1s")
		edit(`--warmup \S+`, "--warmup 500ms")
		edit(`--target \S+`, "--target 500")
		edit(`--threads \S+`, "--threads 4")
		edit(`\b(recordcount|operationcount)=\S+`, "${1}=2000")
	}
	edit(` ID\b`, " "+r.newest)
	edit(` DIR\b`, " "+filepath.Join(r.session.state, "out"))
	if r.Edit != nil {
		command = r.Edit(command)
	}
	return command
}

// Append appends words to a command line, before its comment.
func Append(command, words string) string {
	command, comment, commented := strings.Cut(command, " #")
	command = strings.TrimRight(command, " ") + " " + words
	if commented {
		command += " #" + comment
	}
	return command
}

// site writes an hbase-site.xml with the quorum, and returns its path.
func (r *Reader) site() string {
	r.t.Helper()
	host, port, err := net.SplitHostPort(r.Quorum)
	require.NoError(r.t, err)
	path := filepath.Join(r.session.state, "hbase-site.xml")
	const property = "<property><name>%s</name><value>%s</value></property>"
	text := fmt.Sprintf("<configuration>"+property+property+"</configuration>\n", "hbase.zookeeper.quorum", host, "hbase.zookeeper.property.clientPort", port)
	require.NoError(r.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
