package certs_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process is a store that watches its files in a bubble.
type process struct {
	*certs.Store

	t        *testing.T
	registry *prometheus.Registry
	mu       sync.Mutex
	logged   bytes.Buffer
}

// Write implements io.Writer for the log.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logged.Write(b)
}

// lines counts the lines of the log with a text.
func (p *process) lines(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Count(p.logged.String(), text)
}

// watch starts a store. The bubble's clock starts in 2000, so the time since then is added to the real one.
func watch(t *testing.T, files certs.Files) *process {
	t.Helper()
	began := time.Now()
	p := &process{t: t, registry: prometheus.NewRegistry()}
	store, err := certs.Load(files, certs.Options{
		Logger: slog.New(slog.NewTextHandler(p, nil)), Registerer: p.registry,
		Now: func() time.Time { return origin.Add(time.Since(began)) },
	})
	require.NoError(t, err)
	p.Store = store
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); store.Watch(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return p
}

// origin is the instant at which the stores of watch start: in real time, as the certificates of tests are.
var origin = time.Now()

// pass lets some time pass.
func (*process) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// metrics requires figures.
func (p *process) metrics(failures, success string) {
	p.t.Helper()
	require.NoError(p.t, testutil.GatherAndCompare(p.registry, strings.NewReader(
		"# HELP benchd_tls_reload_failures_total Changed TLS files that could not be used.\n# TYPE benchd_tls_reload_failures_total counter\n"+
			"benchd_tls_reload_failures_total "+failures+"\n"+
			"# HELP benchd_tls_reload_success 1 while the TLS files are in use as they are, 0 while former ones are.\n# TYPE benchd_tls_reload_success gauge\n"+
			"benchd_tls_reload_success "+success+"\n",
	), "benchd_tls_reload_failures_total", "benchd_tls_reload_success"))
}

func TestFilesAreReadAgainInPlace(t *testing.T) {
	ca := certstest.NewCA(t)
	old, next := ca.Identify(t, identity.Coordinator, "c"), ca.Identify(t, identity.Coordinator, "c")
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		p := watch(t, old.Write(t, dir, ca))
		require.Equal(t, old.Serial(), p.Identity().Serial)
		next.Write(t, dir, ca)
		p.pass(5 * time.Second)
		require.Equal(t, next.Serial(), p.Identity().Serial)
		p.metrics("0", "1")
		require.Equal(t, 1, p.lines("TLS certificates were read again"))
	})
}

// TestFilesAreReadAgainBehindASymbolicLink replaces files as Kubernetes does: the files link to a folder ..data, which is a link to the
// folder of a version, and is renamed.
func TestFilesAreReadAgainBehindASymbolicLink(t *testing.T) {
	ca := certstest.NewCA(t)
	old, next := ca.Identify(t, identity.Coordinator, "c"), ca.Identify(t, identity.Coordinator, "c")
	synctest.Test(t, func(t *testing.T) {
		mount := t.TempDir()
		swap := func(version string, pair certstest.Pair) {
			require.NoError(t, os.Mkdir(filepath.Join(mount, version), 0o700))
			pair.Write(t, filepath.Join(mount, version), ca)
			require.NoError(t, os.Symlink(version, filepath.Join(mount, "..data_tmp")))
			require.NoError(t, os.Rename(filepath.Join(mount, "..data_tmp"), filepath.Join(mount, "..data")))
		}
		swap("..1", old)
		for _, name := range []string{"tls.crt", "tls.key", "ca.crt"} {
			require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(mount, name)))
		}
		p := watch(t, certs.Files{Cert: filepath.Join(mount, "tls.crt"), Key: filepath.Join(mount, "tls.key"), CA: filepath.Join(mount, "ca.crt")})
		require.Equal(t, old.Serial(), p.Identity().Serial)
		swap("..2", next)
		require.NoError(t, os.RemoveAll(filepath.Join(mount, "..1")))
		p.pass(5 * time.Second)
		require.Equal(t, next.Serial(), p.Identity().Serial)
		p.metrics("0", "1")
	})
}

func TestBrokenFilesLeaveTheFormerOnesInUse(t *testing.T) {
	ca := certstest.NewCA(t)
	old, next := ca.Identify(t, identity.Coordinator, "c"), ca.Identify(t, identity.Coordinator, "c")
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		files := old.Write(t, dir, ca)
		p := watch(t, files)
		require.NoError(t, os.WriteFile(files.Cert, []byte("half a certif"), 0o600))
		p.pass(time.Minute)
		require.Equal(t, old.Serial(), p.Identity().Serial)
		p.metrics("1", "0")
		require.Equal(t, 1, p.lines("the former ones stay in use"), "a content is reported once")
		require.Equal(t, 1, p.lines(files.Cert+": it has no certificate"))

		require.NoError(t, os.WriteFile(files.Cert, next.CertPEM, 0o600)) // with the old key
		p.pass(time.Minute)
		require.Equal(t, old.Serial(), p.Identity().Serial)
		p.metrics("2", "0")
		require.ErrorContains(t, p.Reload(), "private key does not match public key")
		p.metrics("3", "0")

		require.NoError(t, os.WriteFile(files.Key, next.KeyPEM, 0o600))
		p.pass(5 * time.Second)
		require.Equal(t, next.Serial(), p.Identity().Serial)
		p.metrics("3", "1")
	})
}

func TestTheErrorOfAFirstReadingIsItsCallersAlone(t *testing.T) {
	ca := certstest.NewCA(t)
	files := ca.Identify(t, identity.Coordinator, "c").Write(t, t.TempDir(), ca)
	files.Revoked = filepath.Join(t.TempDir(), "none")
	p := &process{t: t}
	_, err := certs.Load(files, certs.Options{Logger: slog.New(slog.NewTextHandler(p, nil))})
	require.ErrorContains(t, err, files.Revoked)
	require.Empty(t, p.logged.String())
}

func TestAHalfReplacedPairIsNotReported(t *testing.T) {
	ca := certstest.NewCA(t)
	old, next := ca.Identify(t, identity.Coordinator, "c"), ca.Identify(t, identity.Coordinator, "c")
	synctest.Test(t, func(t *testing.T) {
		files := old.Write(t, t.TempDir(), ca)
		p := watch(t, files)
		require.NoError(t, os.WriteFile(files.Cert, next.CertPEM, 0o600))
		p.pass(3 * time.Second) // one look
		require.Equal(t, old.Serial(), p.Identity().Serial)
		require.NoError(t, os.WriteFile(files.Key, next.KeyPEM, 0o600))
		p.pass(3 * time.Second)
		require.Equal(t, next.Serial(), p.Identity().Serial)
		p.metrics("0", "1")
	})
}

func TestRevocationsCountWhileTheCertificateIsBroken(t *testing.T) {
	ca := certstest.NewCA(t)
	pair := ca.Identify(t, identity.Coordinator, "c")
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		files := pair.Write(t, dir, ca)
		files.Revoked = filepath.Join(dir, "revoked")
		require.NoError(t, os.WriteFile(files.Revoked, []byte("AB:CD agent/x\n"), 0o600))
		p := watch(t, files)
		require.True(t, p.Revoked(identity.Identity{Serial: "abcd"}))
		var mu sync.Mutex
		var gone []string
		p.OnRevoked(func(serial string) { mu.Lock(); defer mu.Unlock(); gone = append(gone, serial) })

		require.NoError(t, os.Remove(files.Key))
		p.pass(time.Minute)
		require.NoError(t, os.WriteFile(files.Revoked, []byte("ABCD agent/x\nbeef agent/y 2026-11-24 stolen\n"), 0o600))
		p.pass(9 * time.Second)
		require.True(t, p.Revoked(identity.Identity{Serial: "beef"}))
		mu.Lock()
		require.Equal(t, []string{"beef"}, gone)
		mu.Unlock()
		p.metrics("1", "0")

		require.NoError(t, os.Remove(files.Revoked))
		p.pass(time.Minute)
		require.True(t, p.Revoked(identity.Identity{Serial: "beef"}), "a list that is lost revokes as before")
		p.metrics("2", "0")
	})
}

func TestANewCACountsFromTheNextHandshake(t *testing.T) {
	ca, successor := certstest.NewCA(t), certstest.NewCA(t)
	dir := t.TempDir()
	store, err := certs.Load(ca.Identify(t, identity.Operator, "anna").Write(t, dir, ca), certs.Options{})
	require.NoError(t, err)
	client := store.ClientConfig(identity.Coordinator, "127.0.0.1")
	serverDir := t.TempDir()
	files := ca.Identify(t, identity.Coordinator, "c").Write(t, serverDir, ca)
	serving, err := certs.Load(files, certs.Options{})
	require.NoError(t, err)
	server := serving.ServerConfig()
	require.NoError(t, connect(t, server, client).client)

	successor.Identify(t, identity.Coordinator, "c").Write(t, serverDir, successor)
	require.NoError(t, serving.Reload())
	require.ErrorContains(t, connect(t, server, client).client, filepath.Join(dir, "ca.crt"))
	successor.Identify(t, identity.Operator, "anna").Write(t, dir, successor)
	require.NoError(t, store.Reload())
	require.NoError(t, connect(t, server, client).client)
}

func TestACertificateOfAMonthIsReportedAfterItsRenewal(t *testing.T) {
	ca := certstest.NewCA(t)
	from := origin.AddDate(0, 0, -20).Add(time.Hour)
	pair := ca.Issue(t, certstest.Leaf{Identity: identity.Identity{Role: identity.Agent, Name: "a"}, From: from, Until: from.Add(30 * 24 * time.Hour)})
	synctest.Test(t, func(t *testing.T) {
		p := watch(t, pair.Write(t, t.TempDir(), ca))
		p.pass(30 * time.Minute)
		require.Equal(t, 0, p.lines("TLS certificate expires"))
		p.pass(time.Hour)
		require.Equal(t, 1, p.lines("TLS certificate expires"))
	})
}

func TestAnExpiringCertificateIsReportedDaily(t *testing.T) {
	ca := certstest.NewCA(t)
	c := identity.Identity{Role: identity.Coordinator, Name: "c"}
	pair := ca.Issue(t, certstest.Leaf{Identity: c, From: origin.AddDate(0, 0, -60), Until: origin.AddDate(0, 0, 30).Add(time.Hour)})
	next := ca.Issue(t, certstest.Leaf{Identity: c, Until: origin.AddDate(0, 0, 90)})
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		files := pair.Write(t, dir, ca)
		p := watch(t, files)
		p.pass(30 * time.Minute)
		require.Equal(t, 0, p.lines("TLS certificate expires"))
		p.pass(time.Hour)
		require.Equal(t, 1, p.lines("TLS certificate expires"))
		p.pass(22 * time.Hour)
		require.Equal(t, 1, p.lines("TLS certificate expires"))
		p.pass(2 * time.Hour)
		require.Equal(t, 2, p.lines("TLS certificate expires"))
		next.Write(t, dir, ca)
		p.pass(25 * time.Hour)
		require.Equal(t, 2, p.lines("TLS certificate expires"))
		require.Equal(t, next.Leaf.NotAfter, p.Expires())
		want := map[string]*x509.Certificate{files.Cert: next.Leaf, files.CA: ca.Cert}
		families, err := p.registry.Gather()
		require.NoError(t, err)
		for _, f := range families {
			if f.GetName() != "benchd_tls_certificate_expiry_timestamp_seconds" {
				continue
			}
			require.Len(t, f.GetMetric(), len(want))
			for _, m := range f.GetMetric() {
				require.InDelta(t, want[m.GetLabel()[0].GetValue()].NotAfter.Unix(), m.GetGauge().GetValue(), 0)
			}
		}
	})
}

func TestMetricNamesFollowPrometheusConventions(t *testing.T) {
	registry := prometheus.NewRegistry()
	ca := certstest.NewCA(t)
	_, err := certs.Load(ca.Identify(t, identity.Agent, "a").Write(t, t.TempDir(), ca), certs.Options{Registerer: registry})
	require.NoError(t, err)
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}
