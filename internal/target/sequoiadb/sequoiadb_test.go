package sequoiadb_test

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/sequoiadb"
	"github.com/benchd/benchd/internal/target/sequoiadb/sequoiadbtest/scripted"
	"github.com/benchd/benchd/internal/tolerance"
	"github.com/benchd/benchd/internal/workload"
)

// serve starts a scripted server in this process. No frame may break the protocol, and no context may be left open.
func serve(t *testing.T, o scripted.Options) (addr string, server *scripted.Server) {
	t.Helper()
	server, err := scripted.New(o)
	require.NoError(t, err)
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	var served error
	work.Go(func() { served = server.Serve(ctx, l) })
	t.Cleanup(func() {
		stop()
		work.Wait()
		require.NoError(t, served)
		require.Zero(t, server.Violations(), "frames that break the protocol")
		require.Zero(t, server.OpenContexts())
	})
	return l.Addr().String(), server
}

// settings are settings of a load, whose collection is created.
func settings(addr string, more ...string) load.Settings {
	properties := map[string]string{"sequoiadb.url": addr, "phase": "load", "sequoiadb.timeout": "5s"}
	for i := 0; i < len(more); i += 2 {
		properties[more[i]] = more[i+1]
	}
	return load.Settings{Properties: properties, Secrets: secret.Resolver{Variables: map[string]secret.Value{"BENCHD_SECRET_SDB": secret.NewValue("s3cret")}}}
}

// open opens a target and a session of it.
func open(t *testing.T, s load.Settings) (load.Target, load.Session) {
	t.Helper()
	target, err := sequoiadb.Open(t.Context(), s)
	require.NoError(t, err)
	admin, is := target.(load.Admin)
	require.True(t, is)
	require.NoError(t, admin.Prepare(t.Context()))
	session, err := target.Open(t.Context(), 0)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, session.Close(context.Background()))
		require.NoError(t, target.Close())
	})
	return target, session
}

func b(texts ...string) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = []byte(text)
	}
	return all
}

// read reads a row and returns its fields.
func read(t *testing.T, s load.Session, key string, fields ...string) (workload.Outcome, map[string]string) {
	t.Helper()
	got := make(map[string]string)
	out := s.Do(t.Context(), &workload.Op{
		Kind: workload.Read, Key: []byte(key), Fields: b(fields...), Collect: func(field, value []byte) { got[string(field)] = string(value) },
	})
	return out, got
}

func ok(rows int32, bytes int64) workload.Outcome {
	return workload.Outcome{Code: workload.OK, Rows: rows, Bytes: bytes}
}

func TestOperations(t *testing.T) {
	addr, _ := serve(t, scripted.Options{Page: 3})
	_, s := open(t, settings(addr))
	ctx := t.Context()
	for i := range 10 {
		out := s.Do(ctx, &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%d", i), Fields: b("f0", "f1"), Values: b("v0", fmt.Sprint("v", i))})
		require.Equal(t, ok(1, 6), out)
	}
	out, got := read(t, s, "k3")
	require.Equal(t, ok(1, 6), out)
	require.Equal(t, map[string]string{"f0": "v0", "f1": "v3"}, got)
	out, got = read(t, s, "k3", "f1")
	require.Equal(t, ok(1, 4), out)
	require.Equal(t, map[string]string{"f1": "v3"}, got)
	out, _ = read(t, s, "nobody")
	require.Equal(t, workload.NotFound, out.Code)

	out = s.Do(ctx, &workload.Op{Kind: workload.Insert, Key: []byte("k3"), Fields: b("f0"), Values: b("x")})
	require.Equal(t, workload.Error, out.Code)
	require.ErrorContains(t, out.Err, "SequoiaDB error -38, Duplicate key exist")

	require.Equal(t, ok(1, 5), s.Do(ctx, &workload.Op{Kind: workload.Update, Key: []byte("k3"), Fields: b("f1"), Values: b("new")}))
	_, got = read(t, s, "k3")
	require.Equal(t, map[string]string{"f0": "v0", "f1": "new"}, got)
	require.Equal(t, ok(1, 5), s.Do(ctx, &workload.Op{Kind: workload.Update, Key: []byte("k3"), Fields: b("f1"), Values: b("new")}), "the same value again")
	require.Equal(t, workload.NotFound, s.Do(ctx, &workload.Op{Kind: workload.Update, Key: []byte("nobody"), Fields: b("f1"), Values: b("new")}).Code)

	for range 3 {
		require.Equal(t, ok(1, 10), s.Do(ctx, &workload.Op{Kind: workload.Increment, Key: []byte("k3"), Fields: b("counter"), Delta: 5}))
	}
	require.Equal(t, ok(1, 10), s.Do(ctx, &workload.Op{Kind: workload.Increment, Key: []byte("k5"), Fields: b("counter"), Delta: -1}))
	out, _ = read(t, s, "k3", "counter")
	require.Equal(t, ok(1, 10), out)

	require.Equal(t, ok(1, 4), s.Do(ctx, &workload.Op{Kind: workload.CheckAndPut, Key: []byte("k4"), Fields: b("f0"), Values: b("cc")}))
	require.Equal(t, workload.NotFound, s.Do(ctx, &workload.Op{Kind: workload.CheckAndPut, Key: []byte("k4"), Fields: b("none"), Values: b("cc")}).Code)

	require.Equal(t, ok(1, 2), s.Do(ctx, &workload.Op{Kind: workload.Delete, Key: []byte("k9")}))
	require.Equal(t, workload.NotFound, s.Do(ctx, &workload.Op{Kind: workload.Delete, Key: []byte("k9")}).Code)
	require.Equal(t, workload.NotImplemented, s.Do(ctx, &workload.Op{Kind: workload.Append, Key: []byte("k1"), Fields: b("f0"), Values: b("x")}).Code)
}

// A scan reads its documents in the order of the keys, over several pages, and leaves no context open.
func TestScans(t *testing.T) {
	addr, server := serve(t, scripted.Options{Page: 3})
	_, s := open(t, settings(addr))
	for _, i := range []int{7, 2, 9, 1, 5, 3, 8, 4, 0, 6} {
		require.Equal(t, ok(1, 3), s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%d", i), Fields: b("f0"), Values: b("v")}))
	}
	for _, test := range []struct {
		from   string
		length int
		rows   int32
	}{{"k3", 1, 1}, {"k3", 3, 3}, {"k3", 4, 4}, {"k3", 5, 5}, {"k3", 100, 7}, {"k", 10, 10}, {"l", 5, 0}} {
		out := s.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte(test.from), ScanLength: test.length})
		require.Equal(t, ok(test.rows, int64(3*test.rows)), out, "%v", test)
		out = s.Do(t.Context(), &workload.Op{Kind: workload.Scan, Key: []byte(test.from), ScanLength: test.length, Fields: b("f0")})
		require.Equal(t, ok(test.rows, int64(3*test.rows)), out, "%v of a field", test)
		require.Zero(t, server.OpenContexts())
	}
}

// A key that occurs twice in a multi-get counts twice, as two reads do.
func TestMultiGets(t *testing.T) {
	addr, _ := serve(t, scripted.Options{Page: 2})
	_, s := open(t, settings(addr))
	for i := range 5 {
		s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%d", i), Fields: b("f0"), Values: b("v")})
	}
	require.Equal(t, ok(6, 18), s.Do(t.Context(), &workload.Op{Kind: workload.MultiGet, Keys: b("k3", "k1", "k3", "k0", "k2", "k4")}))
	out := s.Do(t.Context(), &workload.Op{Kind: workload.MultiGet, Keys: b("k3", "k7", "k3", "k8"), Fields: b("f0")})
	require.Equal(t, workload.NotFound, out.Code)
	require.EqualValues(t, 2, out.Rows)
	require.EqualError(t, out.Err, "2 of 4 documents do not exist")
}

func TestBatches(t *testing.T) {
	addr, _ := serve(t, scripted.Options{})
	_, s := open(t, settings(addr))
	batch := func(keys ...string) *workload.Op {
		op := &workload.Op{Kind: workload.Insert, Keys: b(keys...), Fields: b("f0", "f1")}
		for range keys {
			op.Values = append(op.Values, []byte("a"), []byte("b"))
		}
		return op
	}
	require.Equal(t, ok(3, 12), s.Do(t.Context(), batch("k0", "k1", "k2")))
	out := s.Do(t.Context(), batch("k2", "k3", "k1", "k4"))
	require.Equal(t, workload.Error, out.Code)
	require.EqualValues(t, 2, out.Rows, "those that were inserted")
	require.EqualError(t, out.Err, "2 of 4 documents have a key that exists (SequoiaDB error -38)")
	out, got := read(t, s, "k4")
	require.Equal(t, ok(1, 4), out)
	require.Equal(t, map[string]string{"f0": "a", "f1": "b"}, got)
}

func TestUpserts(t *testing.T) {
	addr, _ := serve(t, scripted.Options{})
	_, s := open(t, settings(addr, "sequoiadb.upsert", "true"))
	put := func(kind workload.Kind, value string) {
		t.Helper()
		require.Equal(t, ok(1, 3), s.Do(t.Context(), &workload.Op{Kind: kind, Key: []byte("k0"), Fields: b("f0"), Values: b(value)}))
		_, got := read(t, s, "k0")
		require.Equal(t, map[string]string{"f0": value}, got)
	}
	put(workload.Update, "a")
	put(workload.Insert, "b")
	put(workload.Update, "c")
	out := s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Keys: b("k0", "k1"), Fields: b("f0"), Values: b("d", "e")})
	require.Equal(t, ok(2, 6), out)
	_, got := read(t, s, "k0")
	require.Equal(t, map[string]string{"f0": "d"}, got)
}

// The journal of the scripted server has every acknowledged write.
func TestAcknowledgedWritesSurviveARestart(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	addr, _ := serve(t, scripted.Options{Journal: journal})
	_, s := open(t, settings(addr))
	s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte("k0"), Fields: b("f0"), Values: b("a")})
	s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte("k1"), Fields: b("f0"), Values: b("a")})
	s.Do(t.Context(), &workload.Op{Kind: workload.Update, Key: []byte("k1"), Fields: b("f0"), Values: b("b")})
	s.Do(t.Context(), &workload.Op{Kind: workload.Delete, Key: []byte("k0")})
	addr, _ = serve(t, scripted.Options{Journal: journal})
	_, s = open(t, settings(addr))
	out, _ := read(t, s, "k0")
	require.Equal(t, workload.NotFound, out.Code)
	_, got := read(t, s, "k1")
	require.Equal(t, map[string]string{"f0": "b"}, got)
}

func TestUsersAuthenticate(t *testing.T) {
	for name, scram := range map[string]bool{"MD5": false, "SCRAM-SHA-256": true} {
		t.Run(name, func(t *testing.T) {
			addr, _ := serve(t, scripted.Options{User: "sdbadmin", Password: "s3cret", SCRAM: scram})
			target, s := open(t, settings(addr, "sequoiadb.passwd", "env:BENCHD_SECRET_SDB"))
			out, _ := read(t, s, "k0")
			require.Equal(t, workload.NotFound, out.Code)
			facts, err := target.(load.Observer).Facts(t.Context())
			require.NoError(t, err)
			require.Equal(t, name, facts["sequoiadb.authentication"])

			_, err = sequoiadb.Open(t.Context(), settings(addr))
			require.ErrorContains(t, err, `SequoiaDB error -179, Authority is forbidden: user "sdbadmin" needs a password: set sequoiadb.passwd`)
			_, err = sequoiadb.Open(t.Context(), settings(addr, "sequoiadb.passwd", "env:BENCHD_SECRET_SDB", "sequoiadb.user", "bob"))
			require.ErrorContains(t, err, `check sequoiadb.user ("bob") and the secret of sequoiadb.passwd`)
			require.NotContains(t, err.Error(), "s3cret")
		})
	}
}

func TestFactsAreTheServersOwn(t *testing.T) {
	addr, _ := serve(t, scripted.Options{})
	target, _ := open(t, settings(addr, "sequoiadb.replsize", "2", "table", "t"))
	facts, err := target.(load.Observer).Facts(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"target": "sequoiadb", "sequoiadb.version": "6.0.0", "sequoiadb.collection": "ycsb.t", "sequoiadb.coordinators": "1",
		"sequoiadb.upsert": "false", "sequoiadb.authentication": "MD5", "sequoiadb.sharding": "hash", "sequoiadb.replsize": "2",
		"sequoiadb.groups": "2", "sequoiadb.nodes": "2", "sequoiadb.replicas": "1", "sequoiadb.syncinterval": "10000", "sequoiadb.syncrecordnum": "0",
		"sequoiadb.syncdeep": "false", "sequoiadb.transactionon": "false", "sequoiadb.preferredinstance": "m",
	}, facts)
}

func TestCollectionsAreCreated(t *testing.T) {
	addr, _ := serve(t, scripted.Options{})
	_, s := open(t, settings(addr, "sequoiadb.domain", "d", "sequoiadb.domain.groups", "group1,group2"))
	s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte("k0"), Fields: b("f0"), Values: b("a")})
	_, s = open(t, settings(addr))
	out, _ := read(t, s, "k0")
	require.Equal(t, workload.OK, out.Code, "an existing collection is kept")
	_, s = open(t, settings(addr, "sequoiadb.table.create", "recreate"))
	out, _ = read(t, s, "k0")
	require.Equal(t, workload.NotFound, out.Code)

	for name, test := range map[string]struct {
		more []string
		want string
	}{
		"in a run":       {[]string{"phase", "run", "table", "t"}, "collection ycsb.t does not exist: load it first"},
		"another space":  {[]string{"phase", "run", "database", "d"}, "collection d.usertable does not exist"},
		"unknown domain": {[]string{"database", "e", "sequoiadb.domain", "x"}, "set sequoiadb.domain.groups"},
		"unknown group":  {[]string{"database", "e", "sequoiadb.domain", "x", "sequoiadb.domain.groups", "group7"}, "Group does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := sequoiadb.Open(t.Context(), settings(addr, test.more...))
			require.NoError(t, err)
			require.ErrorContains(t, target.(load.Admin).Prepare(t.Context()), test.want)
		})
	}
}

// An injected error has the outcome of its kind, and the connection serves the next operation.
func TestErrorsOfTheServerHaveTheirKinds(t *testing.T) {
	for code, want := range map[int32]workload.Code{
		-104: workload.ServiceUnavailable, -71: workload.ServiceUnavailable, -15: workload.ServiceUnavailable, -13: workload.Timeout,
		-179: workload.Forbidden, -6: workload.BadRequest, -23: workload.Error, -38: workload.Error,
	} {
		t.Run(strconv.Itoa(int(code)), func(t *testing.T) {
			addr, _ := serve(t, scripted.Options{FailEvery: 2, FailCode: code})
			target, s := open(t, settings(addr))
			for i, want := range []workload.Code{workload.OK, want, workload.OK} {
				out := s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: fmt.Appendf(nil, "k%d", i), Fields: b("f0"), Values: b("a")})
				require.Equal(t, want, out.Code)
				if out.Err != nil {
					require.EqualError(t, out.Err, fmt.Sprintf("SequoiaDB error %d, injected", code))
				}
			}
			require.Zero(t, target.(load.Counter).Counts()["broken_connection"])
		})
	}
}

// A session whose server is gone fails operations by kind, and works again when the server is back.
func TestASessionConnectsAgain(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	server, err := scripted.New(scripted.Options{Journal: journal})
	require.NoError(t, err)
	var config net.ListenConfig
	addr, err := freeport.Address()
	require.NoError(t, err)
	l, err := config.Listen(t.Context(), "tcp", addr)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { _ = server.Serve(ctx, l) })
	target, s := open(t, settings(addr))
	insert := func(key string) workload.Outcome {
		return s.Do(t.Context(), &workload.Op{Kind: workload.Insert, Key: []byte(key), Fields: b("f0"), Values: b("a")})
	}
	require.Equal(t, workload.OK, insert("k0").Code)
	stop()
	work.Wait()
	require.Equal(t, workload.ServiceUnavailable, insert("k1").Code)
	began := time.Now()
	for range 3 {
		out := insert("k1")
		require.Equal(t, workload.ServiceUnavailable, out.Code)
		require.ErrorContains(t, out.Err, "connect to SequoiaDB: dial tcp "+addr)
	}
	require.Greater(t, time.Since(began), 150*time.Millisecond, "attempts to connect have a pause")

	server, err = scripted.New(scripted.Options{Journal: journal})
	require.NoError(t, err)
	l, err = config.Listen(t.Context(), "tcp", addr)
	require.NoError(t, err)
	ctx, stop = context.WithCancel(context.Background())
	work.Go(func() { _ = server.Serve(ctx, l) })
	t.Cleanup(work.Wait)
	t.Cleanup(stop)
	require.Equal(t, workload.OK, insert("k1").Code)
	out, _ := read(t, s, "k0")
	require.Equal(t, workload.OK, out.Code)
	require.EqualValues(t, 1, target.(load.Counter).Counts()["broken_connection"])
}

// Workers are spread over the coordinators. One that is away is left out.
func TestWorkersAreSpreadOverCoordinators(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	first, one := serve(t, scripted.Options{Journal: journal})
	second, two := serve(t, scripted.Options{Journal: journal})
	target, _ := open(t, settings("127.0.0.1:1,"+first+","+second))
	for worker := range 2 {
		s, err := target.Open(t.Context(), 1+worker)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	}
	sessions := func(s *scripted.Server, want int64) func() bool { return func() bool { return s.Sessions() == want } }
	require.Eventually(t, sessions(one, 2), tolerance.Patience, time.Millisecond, "worker 0, which found nobody at port 1, and worker 1")
	require.Eventually(t, sessions(two, 1), tolerance.Patience, time.Millisecond, "worker 2")
}

// A server that does not answer ends the operation at its timeout; the end of the run ends it at once.
func TestASilentServerIsATimeout(t *testing.T) {
	addr, server := serve(t, scripted.Options{})
	_, s := open(t, settings(addr, "sequoiadb.timeout", "200ms"))
	server.Silence(true)
	began := time.Now()
	out, _ := read(t, s, "k0")
	require.Equal(t, workload.Timeout, out.Code)
	require.ErrorContains(t, out.Err, "no answer from "+addr+" in time")
	tolerance.Within(t, began, 200*time.Millisecond)
	server.Silence(false)
	require.Eventually(t, func() bool { out, _ := read(t, s, "k0"); return out.Code == workload.NotFound }, tolerance.Patience, time.Millisecond, "over a new connection")

	_, s = open(t, settings(addr, "sequoiadb.timeout", "1m"))
	server.Silence(true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began = time.Now()
	out = s.Do(ctx, &workload.Op{Kind: workload.Read, Key: []byte("k")})
	require.Equal(t, workload.Timeout, out.Code)
	tolerance.Within(t, began, 100*time.Millisecond)
	server.Silence(false)
}
