package coordinator

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"net"
	"os"
	"path/filepath"
	"runtime"
	runtimemetrics "runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/benchd/benchd/internal/archive/sqlite"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/results/resultstest"
	"github.com/benchd/benchd/internal/wire"
)

// updateHostile writes the files of the corpus of imports from imports.txt.
var updateHostile = flag.Bool("update-hostile", false, "rewrite testdata/hostile/imports")

// maxGrowth is how much the heap may grow while hostile input is refused.
const maxGrowth = 256 << 20

// hostile is a case of the corpus: an input, and the message that refuses it.
type hostile struct{ name, input, want string }

// readHostile reads cases of two lines each, the second of which is indented.
func readHostile(t *testing.T, file string) []hostile {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "hostile", file))
	require.NoError(t, err)
	var list []hostile
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == ' ':
			list[len(list)-1].want = strings.TrimSpace(line)
		default:
			name, input, found := strings.Cut(line, ": ")
			require.True(t, found, line)
			list = append(list, hostile{name: name, input: input})
		}
	}
	return list
}

// bent exports a suite after a change of its archive by SQL.
func bent(t *testing.T, change string) []byte {
	t.Helper()
	dir := t.TempDir()
	c := openCoordinator(t, dir)
	resultstest.Ended(t, c.archive, "S", 12, time.Hour, result.Complete)
	require.NoError(t, c.Close(t.Context()))
	db, err := sql.Open("sqlite", filepath.Join(dir, sqlite.FileName))
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), change)
	require.NoError(t, err, change)
	require.NoError(t, db.Close())
	store, err := sqlite.Open(t.Context(), dir, c.log)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, store.Export(t.Context(), "S", &file))
	require.NoError(t, store.Close(t.Context()))
	return file.Bytes()
}

// grown runs do, and returns the largest growth of the heap meanwhile.
func grown(do func()) uint64 {
	sample := []runtimemetrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 {
		runtimemetrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before := read()
	var most atomic.Uint64
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			most.Store(max(most.Load(), read()))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	do()
	close(done)
	<-watched
	return max(most.Load(), before) - before
}

// Each hostile import, message and suite file is refused with one message that names the problem; the memory grows
// little, no part of the input becomes visible, and the coordinator works, also after a restart and a round of
// maintenance.
func TestTheHostileCorpusIsRefused(t *testing.T) {
	dir := t.TempDir()
	c := openCoordinator(t, dir)
	resultstest.Ended(t, c.archive, "HONEST", 12, time.Hour, result.Complete)
	refused := func(t *testing.T, want string, do func() error) {
		t.Helper()
		var err error
		growth := grown(func() { err = do() })
		require.ErrorContains(t, err, want)
		require.Less(t, len(err.Error()), 4<<10)
		require.Less(t, growth, uint64(maxGrowth))
	}
	cases := 0
	for _, h := range readHostile(t, "imports.txt") {
		cases++
		t.Run("import/"+h.name, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join("testdata", "hostile", "imports", h.name+".benchd"))
			require.NoError(t, err)
			refused(t, h.want, func() error {
				_, err := c.results.Import(t.Context(), bytes.NewReader(file))
				require.ErrorIs(t, err, wire.ErrBadSpec)
				require.NotContains(t, err.Error(), "\n")
				return err
			})
		})
	}
	connect := served(t, c)
	for _, h := range readHostile(t, "messages.txt") {
		cases++
		t.Run("message/"+h.want, func(t *testing.T) {
			m := new(benchdv1.SessionRequest)
			require.NoError(t, prototext.Unmarshal([]byte(h.name+": "+h.input), m))
			refused(t, h.want, func() error {
				stream := connect(t)
				require.NoError(t, stream.Send(m))
				for {
					if _, err := stream.Recv(); err != nil {
						return wire.FromStatus(err)
					}
				}
			})
		})
	}
	suites, err := filepath.Glob(filepath.Join("testdata", "hostile", "suites", "*.yaml"))
	require.NoError(t, err)
	for _, path := range suites {
		cases++
		t.Run("suite/"+filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			first, _, _ := strings.Cut(string(b), "\n")
			refused(t, strings.TrimPrefix(first, "# want: "), func() error {
				_, err := c.Validate(t.Context(), &benchdv1.ValidateRequest{Submission: &benchdv1.Submission{
					Suite: &benchdv1.SourceFile{Name: filepath.Base(path), Content: b},
				}})
				return wire.FromStatus(err)
			})
		})
	}
	require.GreaterOrEqual(t, cases, 24)

	serves := func(c *Coordinator) {
		require.NoError(t, c.results.LookAfter(t.Context()))
		require.Equal(t, map[string]string{"HONEST": ""}, asides(t, c), "there is nothing else, and nothing is set aside")
		_, err := c.results.JSON(t.Context(), "HONEST")
		require.NoError(t, err)
	}
	serves(c)
	require.NoError(t, c.Close(t.Context()))
	serves(openCoordinator(t, dir))
}

// The files of the corpus match imports.txt: each is the honest suite with one change.
func TestTheHostileImportsAreWritten(t *testing.T) {
	if *updateHostile {
		for _, h := range readHostile(t, "imports.txt") {
			require.NoError(t, os.WriteFile(filepath.Join("testdata", "hostile", "imports", h.name+".benchd"), bent(t, h.input), 0o644), h.name)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "hostile", "imports", "*.benchd"))
	require.NoError(t, err)
	require.Len(t, files, len(readHostile(t, "imports.txt")))
	_, err = openCoordinator(t, t.TempDir()).results.Import(t.Context(), bytes.NewReader(bent(t, `SELECT 1`)))
	require.NoError(t, err, "it is accepted without the change")
}

// served serves a coordinator on an in-memory network, and returns a function that opens an agent's stream there.
func served(t *testing.T, c *Coordinator) func(t *testing.T) benchdv1.AgentService_SessionClient {
	t.Helper()
	listener, server := bufconn.Listen(1<<20), grpc.NewServer(ServerOptions()...)
	c.Register(server)
	go func() { _ = server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///c", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
	})
	return func(t *testing.T) benchdv1.AgentService_SessionClient {
		t.Helper()
		stream, err := benchdv1.NewAgentServiceClient(conn).Session(t.Context())
		require.NoError(t, err)
		require.NoError(t, stream.Send(&benchdv1.SessionRequest{Message: &benchdv1.SessionRequest_Hello{Hello: &benchdv1.Hello{
			Protocol: wire.Protocol, Name: "evil", BootId: "b",
		}}}))
		return stream
	}
}
