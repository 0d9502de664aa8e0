//go:build integration

package prometheus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/test/testcluster"
)

const deploy = "../../deploy/"

// queries returns the expressions of the dashboard by panel, with the values that Grafana inserts.
func queries(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(deploy + "grafana/benchd.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	fill := strings.NewReplacer("$__rate_interval", "5s", "$run", ".+", "$agent", ".+")
	out := make(map[string][]string)
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expr := fill.Replace(target.Expr)
			require.NotContains(t, expr, "$", "%s: a variable that the test does not know", p.Title)
			out[p.Title] = append(out[p.Title], expr)
		}
	}
	require.Greater(t, len(out), 30)
	variable := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`)
	for _, v := range dashboard.Templating.List {
		if m := variable.FindStringSubmatch(v.Definition); m != nil {
			out["variable "+v.Name] = []string{fmt.Sprintf("%s{%s!=\"\"}", m[1], m[2])}
		}
	}
	require.Contains(t, out, "variable run")
	require.Contains(t, out, "variable agent")
	return out
}

// A Prometheus that has only the coordinator's address finds and scrapes all agents. During a run every query of the dashboard has an
// answer, also without native histograms. After the run its counts equal those of the result, and its quantiles differ by at most 5 %.
func TestPrometheusAgreesWithTheResult(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := testcluster.New(t)
	h.Agent("a", "--label", "zone=x", "--spool", filepath.Join(t.TempDir(), "spool"))
	h.Agent("b", "--metrics-listen", "0.0.0.0:0", "--insecure", "--spool", filepath.Join(t.TempDir(), "spool"))

	native := prometheus(t, h.HTTP, "--enable-feature=native-histograms")
	classic := prometheus(t, h.HTTP)
	both := map[string]*server{"native": native, "classic": classic}
	for name, s := range both {
		testcluster.Eventually(t, testcluster.Patience, func() bool {
			_, ok := get(t, s.base+"/-/ready")
			return ok && len(s.ask(`up{job="benchd-coordinator"} == 1`)) == 1 && len(s.ask(`up{job="benchd-agent", agent=~"a|b"} == 1`)) == 2
		}, "%s: the coordinator and both agents should be scraped", name)
	}

	id := h.Submit("--agents", "2", "--threads", "8",
		"--target", "1500", "--warmup", "2s", "--duration", "10m", "-p", "recordcount=1000", "-p", "readproportion=0.6", "-p", "updateproportion=0.2",
		"-p", "readmodifywriteproportion=0.2", "-p", "null.service=lognormal 1ms 0.5", "-p", "null.error.share=1%")
	for title, list := range queries(t) {
		for _, expr := range list {
			for name, s := range both {
				testcluster.Eventually(t, testcluster.Patience, func() bool { return len(s.ask(expr)) > 0 }, "%s, panel %q should have data:\n%s", name, title, expr)
			}
		}
	}
	ops := fmt.Sprintf(`sum(benchd_operations_total{run="%s.1", phase="measure"})`, id)
	testcluster.Eventually(t, testcluster.Patience, func() bool { n, _ := native.number(ops); return n > 12_000 }, "the run should measure")
	_, stderr, _ := h.Ctl("cancel", id)
	h.Until(id, string(result.Cancelled))
	r := h.Show(id)
	require.Empty(t, r.Missing, stderr)
	require.True(t, r.Reconcile.OK, "%+v", r.Reconcile)

	for name, s := range both {
		testcluster.Eventually(t, testcluster.Patience, func() bool {
			n, _ := s.number(fmt.Sprintf(`sum(benchd_operations_total{run="%s.1"})`, id))
			m, _ := s.number(fmt.Sprintf(`sum(benchd_agent_operations_total{run="%s.1"})`, id))
			return uint64(n) == r.Reconcile.Merged && uint64(m) == r.Reconcile.Merged
		}, "%s: the last figures should be scraped", name)
	}
	compared := 0
	for _, p := range r.Phases {
		for _, op := range p.Operations {
			part := ""
			if op.PartOf != nil {
				part = *op.PartOf
			}
			labels := fmt.Sprintf(`{run="%s.1", phase=%q, op=%q, outcome=%q, part_of=%q}`, id, p.Name, op.Op, op.Outcome, part)
			for clock, figures := range map[string]result.Figures{"response": op.Figures, "service": op.Service} {
				for _, metric := range []string{"benchd_" + clock + "_time_seconds", "benchd_agent_" + clock + "_time_seconds"} {
					count, ok := native.number("histogram_count(sum(" + metric + labels + "))")
					require.True(t, ok, "%s%s", metric, labels)
					require.Equal(t, float64(figures.Count), count, "%s%s", metric, labels)
					count, ok = classic.number("sum(" + metric + "_count" + labels + ")")
					require.True(t, ok, "%s%s", metric, labels)
					require.Equal(t, float64(figures.Count), count, "%s%s", metric, labels)
					for q, want := range map[string]*float64{"0.5": figures.P50, "0.99": figures.P99} {
						if want == nil {
							continue
						}
						got, ok := native.number("histogram_quantile(" + q + ", sum(" + metric + labels + "))")
						require.True(t, ok)
						require.InEpsilon(t, *want/1e6, got, 0.05, "p%s of %s%s", q, metric, labels)
						compared++
					}
				}
			}
		}
	}
	require.Greater(t, compared, 40)
	t.Logf("%d quantiles are within 5 %%, %d operations counted exactly", compared, r.Reconcile.Merged)
	checkMetrics(t, h.HTTP)
}

// checkMetrics lets promtool check the scraped metrics.
func checkMetrics(t *testing.T, coordinator string) {
	t.Helper()
	body, ok := get(t, "http://"+coordinator+"/sd/agents")
	require.True(t, ok)
	var groups []struct{ Targets []string }
	require.NoError(t, json.Unmarshal(body, &groups))
	require.Len(t, groups, 2)
	for _, target := range []string{coordinator, groups[0].Targets[0], groups[1].Targets[0]} {
		text, ok := get(t, "http://"+target+"/metrics")
		require.True(t, ok, target)
		require.Contains(t, string(text), "_response_time_seconds_bucket")
		path := filepath.Join(t.TempDir(), "metrics")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		stdout, stderr, code := testcluster.Command(t, time.Minute, "bash", "-c", `"$0" check metrics <"$1"`, tool(t, "promtool"), path)
		require.Zero(t, code, "%s: %s%s", target, stdout, stderr)
	}
}

// secured writes the configuration for certificates, with certificates.
func secured(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(deploy + "prometheus/prometheus.yml")
	require.NoError(t, err)
	ca, dir := certstest.NewCA(t), t.TempDir()
	ca.Identify(t, identity.Viewer, "prometheus").Write(t, dir, ca)
	changed := strings.NewReplacer("/etc/prometheus/benchd", dir, "benchd.rules.yml", "none-*.yml").Replace(string(text))
	path := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	return path
}

// The rules are valid, each fires on its condition, and none fires otherwise.
func TestRules(t *testing.T) {
	t.Parallel() // beside a test that waits
	promtool(t, "check", "config", deploy+"prometheus/local.yml")
	promtool(t, "check", "config", secured(t))
	promtool(t, "check", "rules", deploy+"prometheus/benchd.rules.yml")
	promtool(t, "test", "rules", "testdata/rules.test.yml")

	rules, err := os.ReadFile(deploy + "prometheus/benchd.rules.yml")
	require.NoError(t, err)
	tests, err := os.ReadFile("testdata/rules.test.yml")
	require.NoError(t, err)
	alerts := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1)
	require.Greater(t, len(alerts), 10)
	for _, alert := range alerts {
		require.Contains(t, string(tests), `alertname="`+alert[1]+`"`, "an alert without a test")
	}
}
