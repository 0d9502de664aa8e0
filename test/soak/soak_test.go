//go:build soak

package soak

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // reads the archive's size

	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/test/testcluster"
)

var length = flag.Duration("for", 3*time.Minute, "how long the soak lasts")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testcluster.Main(m))
}

// sample is the resource usage of a process at an instant.
type sample struct{ rss, goroutines float64 }

// samples are those of one process, in order.
type samples struct {
	name, url string
	all       []sample
}

// figure reads one figure of a page of metrics.
func figure(t *testing.T, page, name string) float64 {
	t.Helper()
	line := regexp.MustCompile(`(?m)^` + name + `(?:\{[^}]*\})? (\S+)$`).FindStringSubmatch(page)
	require.NotNil(t, line, "%s is not among the metrics", name)
	x, err := strconv.ParseFloat(line[1], 64)
	require.NoError(t, err)
	return x
}

func (s *samples) take(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testcluster.Patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, http.NoBody)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // it is bounded by its context
	require.NoError(t, err)
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	s.all = append(s.all, sample{figure(t, string(page), "process_resident_memory_bytes"), figure(t, string(page), "go_goroutines")})
}

// growth compares the last quarter with the second one: the first is for warming up.
func (s *samples) growth(of func(sample) float64) float64 {
	n := len(s.all) / 4
	before, after := median(s.all[n:2*n], of), median(s.all[len(s.all)-n:], of)
	return after/before - 1
}

func median(list []sample, of func(sample) float64) float64 {
	x := make([]float64, len(list))
	for i, s := range list {
		x[i] = of(s)
	}
	slices.Sort(x)
	return x[len(x)/2]
}

func TestSoak(t *testing.T) {
	h := testcluster.New(t)
	sandbox := testcluster.Start(t, nil, "benchd", "sandbox", "--zookeeper", "127.0.0.1:0", "--info", "127.0.0.1:0")
	sandbox.Says("sandbox is up")
	quorum := regexp.MustCompile(`zookeeper=(\S+)`).FindStringSubmatch(sandbox.Log())
	require.NotNil(t, quorum)

	all := []*samples{{name: "coordinator", url: "http://" + h.HTTP + "/metrics"}}
	for _, name := range []string{"a", "b", "c"} {
		port := testcluster.Port(t)
		h.Agent(name, "--metrics-listen", "127.0.0.1:"+port, "--spool", filepath.Join(t.TempDir(), "spool"))
		all = append(all, &samples{name: "agent " + name, url: "http://127.0.0.1:" + port + "/metrics"})
	}
	h.Connected(3)
	target := []string{
		"--db", "hbase", "-p", "hbase.zookeeper.quorum=" + quorum[1], "-p", "columnfamily=family",
		"-p", "recordcount=20000", "-p", "hbase.splits=6", "--threads", "4",
	}
	stdout, stderr, code := h.Ctl(append([]string{"submit", "--phase", "load", "--wait", "-o", "json"}, target...)...)
	require.Zero(t, code, stderr)
	require.Equal(t, result.Complete, testcluster.Parse(t, stdout).Status)

	stdout, stderr, code = h.Ctl(append([]string{
		"submit", "--duration", length.String(), "-p", "readproportion=0.5", "-p", "updateproportion=0.5",
	}, target...)...)
	require.Zero(t, code, stderr)
	id := strings.TrimSpace(stdout)
	require.Equal(t, id, h.Running())

	var sizes []float64
	every := max(*length/60, 2*time.Second)
	for begun := time.Now(); time.Since(begun) < *length-every; {
		<-time.After(every)
		for _, s := range all {
			s.take(t)
		}
		sizes = append(sizes, size(t, h.Dir))
	}
	testcluster.Eventually(t, testcluster.Patience, func() bool { return h.Status(id) == string(result.Complete) }, "the run should be complete")

	// A heap that is still growing to its size does not leak; and in a quarter of three minutes a shared machine may have given
	// half of its time, or more, to other processes.
	most, least := 0.25, 0.1
	if *length >= 20*time.Minute {
		most, least = 0.05, 0.8
	}
	for _, s := range all {
		rss, goroutines := s.growth(func(x sample) float64 { return x.rss }), s.growth(func(x sample) float64 { return x.goroutines })
		fmt.Printf("%-12s %6.1f MB, grown by %+.1f %%; %4.0f goroutines, grown by %+.1f %%\n",
			s.name, median(s.all, func(x sample) float64 { return x.rss })/1e6, 100*rss, median(s.all, func(x sample) float64 { return x.goroutines }), 100*goroutines)
		require.Less(t, rss, most, "memory of %s", s.name)
		require.Less(t, goroutines, 0.05, "goroutines of %s", s.name)
	}
	n := len(sizes)
	early, late := sizes[n/2]-sizes[n/4], sizes[n-1]-sizes[n-1-(n/2-n/4)]
	fmt.Printf("%-12s %6.2f MB, %.1f KB/s in its second quarter, %.1f KB/s in its last\n", "archive", sizes[n-1]/1e6,
		early/float64(n/2-n/4)/every.Seconds()/1e3, late/float64(n/2-n/4)/every.Seconds()/1e3)
	require.Less(t, late, 1.3*early+1e6, "the archive grows linearly")

	r := h.Show(id)
	testcluster.RequireConsistent(t, r, 3)
	p := r.Phases[len(r.Phases)-1]
	var rates []float64
	for i, point := range p.Series {
		if i > 0 && i < len(p.Series)-1 {
			rates = append(rates, float64(point.Ops)/point.Seconds)
		}
	}
	steady, because := stats.Steady(rates)
	fmt.Printf("%-12s %.0f ops/s; steady: %v (%s; %s)\n", "throughput", p.Throughput, steady, because, stats.SteadyTest())
	quarter := len(rates) / 4
	require.Greater(t, mean(rates[len(rates)-quarter:]), least*mean(rates[quarter:2*quarter]), "throughput does not fall")
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// size returns the size of an archive's content, with its log. The sizes of the files do not show it: writes fill a log that
// already has its full size, and reach the database all at once.
func size(t *testing.T, dir string) float64 {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "benchd.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var pages, bytes float64
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size").Scan(&pages, &bytes))
	return pages * bytes
}
