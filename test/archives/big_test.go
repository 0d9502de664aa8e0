//go:build integration

package archives

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // multiplies the suites of an archive

	"github.com/benchd/benchd/internal/archive"
	"github.com/benchd/benchd/internal/archive/mirror"
	"github.com/benchd/benchd/internal/archive/postgres"
	"github.com/benchd/benchd/internal/archive/sqlite"
	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/longrun"
	"github.com/benchd/benchd/test/testcluster"
)

// options are the settings of `make bench-suites`.
type options struct {
	suites, megabytes int
	samples           int
	in                string
	limits            bool
}

// chosen holds the options, which flags of the test's binary can only leave in a variable.
var chosen options

func TestMain(m *testing.M) {
	flag.IntVar(&chosen.suites, "suites", 30, "suites of the archive")
	flag.IntVar(&chosen.megabytes, "megabytes", 30, "size of the archive, about")
	flag.IntVar(&chosen.samples, "samples", longrun.Samples, "of each operation in a window; fewer than the default make an archive with as many rows and less of the disk")
	flag.StringVar(&chosen.in, "in", "postgres,sqlite", "kinds of archives")
	flag.BoolVar(&chosen.limits, "limits", false, "also check limits of time")
	flag.Parse()
	os.Exit(testcluster.Main(m))
}

// home is an archive with its database.
type home struct {
	flags    []string // of a coordinator
	open     func(t *testing.T) served
	database func(t *testing.T) database
	settle   func(t *testing.T)         // after all suites are there
	cpu      func(t *testing.T) float64 // seconds of the database's own processes
	// elsewhere returns the flags of a coordinator on another host; nil if there can be none.
	elsewhere func(t *testing.T) []string
}

// Commands are quick on an archive with many suites, and the removal of the oldest month does not disturb a run.
func TestABigArchive(t *testing.T) {
	size := template(int64(chosen.megabytes)*1e6/int64(chosen.suites), chosen.samples)
	for kind := range strings.SplitSeq(chosen.in, ",") {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			longrun.MakeSize(t, dir, size)
			h := inSQLite(dir)
			if kind == "postgres" {
				h = inPostgres(t, dir)
			}
			oldest := time.Now().Add(-span + month)
			began := time.Now()
			s := h.open(t)
			fill(t, s, h.database(t), chosen.suites, oldest)
			h.settle(t)
			bytes, err := s.Size(t.Context())
			require.NoError(t, err)
			require.NoError(t, s.Close(context.WithoutCancel(t.Context())))
			t.Logf("%s: %d suites of %d runs with %d windows, %.1f GB, made in %s", kind, chosen.suites, repeats, size.Seconds*size.Agents, float64(bytes)/1e9, time.Since(began).Round(time.Second))

			commands(t, h)
			retention(t, h, oldest)
		})
	}
}

// inSQLite is an archive in a directory.
func inSQLite(dir string) home {
	return home{
		flags: []string{"--data", dir},
		open: func(t *testing.T) served {
			t.Helper()
			a, err := sqlite.Open(t.Context(), dir, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			return a
		},
		database: func(t *testing.T) database {
			t.Helper()
			db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.FileName)+"?_pragma=busy_timeout(60000)&_pragma=synchronous(off)")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			return database{
				columns: func(t *testing.T, table string) (names []string) {
					t.Helper()
					rows, err := db.QueryContext(t.Context(), `SELECT name FROM pragma_table_info(?) ORDER BY cid`, table)
					require.NoError(t, err)
					defer func() { require.NoError(t, rows.Close()) }()
					for rows.Next() {
						var name string
						require.NoError(t, rows.Scan(&name))
						names = append(names, name)
					}
					require.NoError(t, rows.Err())
					return names
				},
				exec: func(t *testing.T, statement string) {
					t.Helper()
					_, err := db.ExecContext(t.Context(), statement)
					require.NoError(t, err, statement)
				},
				week: func(*testing.T, string) string { return "" },
			}
		},
		settle: func(t *testing.T) { // the kernel writes nothing while commands are measured
			t.Helper()
			f, err := os.OpenFile(filepath.Join(dir, sqlite.FileName), os.O_RDWR, 0)
			require.NoError(t, err)
			require.NoError(t, f.Sync())
			require.NoError(t, f.Close())
		},
		cpu: func(*testing.T) float64 { return 0 },
	}
}

// inPostgres is an archive in a PostgreSQL server of its own, a copy of the one in a directory.
func inPostgres(t *testing.T, dir string) home {
	t.Helper()
	url, folder := startPostgres(t, map[string]string{
		"shared_buffers": "512MB", "max_wal_size": "4GB", "wal_level": "minimal", "max_wal_senders": "0", "wal_compression": "on",
		"autovacuum": "off", // it would take CPU while commands are measured: settle does its work
	})
	open := func(t *testing.T) served {
		t.Helper()
		a, err := postgres.Open(t.Context(), url, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		me := archive.Leader{Boot: rand.Text(), RPC: "test"}
		leader, err := a.Lead(t.Context(), me)
		require.NoError(t, err)
		require.Equal(t, me.Boot, leader.Boot)
		ctx, stop := context.WithCancel(t.Context())
		t.Cleanup(stop)
		go keepLease(ctx, a)
		return a
	}
	from, to := inSQLite(dir).open(t), open(t)
	_, err := mirror.Copy(t.Context(), from, to, func(mirror.Progress) {})
	require.NoError(t, err)
	require.NoError(t, from.Close(context.WithoutCancel(t.Context())))
	require.NoError(t, to.Close(context.WithoutCancel(t.Context())))
	conn, err := pgx.Connect(t.Context(), url+"?search_path="+postgres.Schema)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) })
	return home{
		flags: []string{"--archive", url, "--data", t.TempDir()},
		elsewhere: func(t *testing.T) []string {
			t.Helper()
			return []string{"--archive", url, "--data", t.TempDir()}
		},
		open: open,
		database: func(t *testing.T) database {
			t.Helper()
			for _, statement := range []string{`SET synchronous_commit = off`, `ANALYZE`} {
				_, err := conn.Exec(t.Context(), statement)
				require.NoError(t, err)
			}
			return database{
				columns: func(t *testing.T, table string) []string {
					t.Helper()
					rows, err := conn.Query(t.Context(), `SELECT column_name::text FROM information_schema.columns WHERE table_schema = current_schema AND table_name = $1 ORDER BY ordinal_position`, table)
					require.NoError(t, err)
					names, err := pgx.CollectRows(rows, pgx.RowTo[string])
					require.NoError(t, err)
					return names
				},
				exec: func(t *testing.T, statement string) {
					t.Helper()
					_, err := conn.Exec(t.Context(), statement)
					require.NoError(t, err, statement)
				},
				week: func(t *testing.T, suite string) (week string) {
					t.Helper()
					require.NoError(t, conn.QueryRow(t.Context(), `SELECT week::text FROM suite WHERE id = $1`, suite).Scan(&week))
					return week
				},
			}
		},
		settle: func(t *testing.T) {
			t.Helper()
			for _, statement := range []string{
				fmt.Sprintf(`UPDATE space SET bytes = %d * (SELECT bytes FROM space WHERE suite = '%s') WHERE suite <> '%[2]s'`, repeats, name(0)), // the archive has not seen them
				`VACUUM (ANALYZE)`, `CHECKPOINT`,
			} {
				_, err := conn.Exec(t.Context(), statement)
				require.NoError(t, err)
			}
		},
		cpu: func(t *testing.T) float64 {
			t.Helper()
			return serverCPU(t, folder)
		},
	}
}

// keepLease renews a lease until ctx ends.
func keepLease(ctx context.Context, a *postgres.Archive) {
	tick := time.NewTicker(archive.LeaseRenew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = a.Renew(ctx) // a write without the lease fails
		}
	}
}

// cpuOf returns the CPU time of a process in seconds, with that of its ended children if it has waited for them, and its parent.
func cpuOf(pid string, children bool) (seconds float64, parent string) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, "" // it has ended
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	last := 13
	if children {
		last = 15
	}
	for _, f := range fields[11:last] { // in the kernel's hundredths of a second
		ticks, _ := strconv.ParseFloat(f, 64)
		seconds += ticks / 100
	}
	return seconds, fields[1]
}

// serverCPU returns the CPU time of a PostgreSQL server and its sessions.
func serverCPU(t *testing.T, folder string) (seconds float64) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "postgres", "data", "postmaster.pid"))
	require.NoError(t, err)
	postmaster, _, _ := strings.Cut(string(text), "\n")
	seconds, _ = cpuOf(postmaster, true)
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		if own, parent := cpuOf(e.Name(), false); parent == postmaster {
			seconds += own
		}
	}
	return seconds
}

// commands measures commands several times, each time on a coordinator that has just started. The first one has nothing but the archive, as after
// an update; the second one has the documents that a coordinator keeps when runs end; the third one has taken over on another host, where the
// archive has them.
func commands(t *testing.T, h home) {
	t.Helper()
	first, middle, last := name(chosen.suites/3), name(chosen.suites/2), name(chosen.suites-1)
	type state struct {
		name  string
		flags []string
	}
	states := []state{{"documents of runs are not kept", h.flags}, {"documents of runs are kept", h.flags}}
	if h.elsewhere != nil {
		states = append(states, state{"documents of runs are kept, and the host is another one", h.elsewhere(t)})
	}
	for _, state := range states {
		rpc, err := freeport.Address()
		require.NoError(t, err)
		web, err := freeport.Address()
		require.NoError(t, err)
		c := testcluster.Start(t, nil, "benchd", append([]string{"coordinator", "--listen", rpc, "--http", web}, state.flags...)...)
		c.Says("coordinator listens")
		cpu := func() (coordinator, database float64) {
			coordinator, _ = cpuOf(strconv.Itoa(c.ID()), false)
			return coordinator, h.cpu(t)
		}
		quiet(t, func() float64 { coordinator, database := cpu(); return coordinator + database })
		coordinator, _ := cpu()
		t.Logf("  a coordinator has started with %.2f s of CPU; %s", coordinator, state.name)
		for _, args := range [][]string{{"list"}, {"show", middle}, {"show", middle, "-o", "json"}, {"compare", first, last}} {
			before, databaseBefore := cpu()
			out, own := ctl(t, rpc, args...)
			after, databaseAfter := cpu()
			cost := own + after - before + databaseAfter - databaseBefore
			t.Logf("    benchctl %s: %.2f s of CPU (benchctl %.2f, coordinator %.2f, database %.2f)", strings.Join(args, " "), cost, own, after-before, databaseAfter-databaseBefore)
			if chosen.limits {
				require.Less(t, cost, 1.0, "seconds of CPU of benchctl %v", args)
			}
			if args[0] == "list" {
				require.Equal(t, chosen.suites, strings.Count(out, "suite-"))
			}
			if slices.Contains(args, "json") {
				requireWhole(t, out)
			}
		}
		c.Signal(os.Interrupt)
		require.Zero(t, c.Exit(testcluster.Patience))
	}
}

// ctl runs benchctl, and returns what it prints, and its CPU time in seconds.
func ctl(t *testing.T, coordinator string, args ...string) (out string, seconds float64) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testcluster.Program("benchctl"), append(args, "--coordinator", coordinator)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "benchctl %v: %s", args, stderr.String())
	return stdout.String(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// requireWhole checks that a suite has all its runs, and these all their windows.
func requireWhole(t *testing.T, text string) {
	t.Helper()
	var suite struct {
		Runs []result.Run `json:"runs"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &suite))
	require.Len(t, suite.Runs, repeats)
	for _, run := range suite.Runs {
		require.Equal(t, result.Complete, run.Status, run.ID)
		require.True(t, run.Reconcile.OK, run.ID)
	}
}

// quiet waits until a counter of CPU time stands still for a second.
func quiet(t *testing.T, cpu func() float64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for before := -1.0; ; {
		now := cpu()
		if now-before < 0.05 {
			return
		}
		before = now
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.Fail(t, "the coordinator should become idle")
		}
	}
}
