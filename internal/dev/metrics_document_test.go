package dev_test

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/agent/enroll"
	"github.com/benchd/benchd/internal/certs"
	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/coordinator/standby"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/webhook"
)

// notes is a Registerer that notes the names and labels of what is registered.
type notes struct {
	prometheus.Registerer

	mu      sync.Mutex
	metrics map[string][]string // labels by name
}

// Register implements prometheus.Registerer.
func (n *notes) Register(c prometheus.Collector) error {
	descriptions := make(chan *prometheus.Desc)
	go func() {
		defer close(descriptions)
		c.Describe(descriptions)
	}()
	for d := range descriptions {
		name, labels := described(d)
		n.mu.Lock()
		n.metrics[name] = labels
		n.mu.Unlock()
	}
	return n.Registerer.Register(c)
}

// MustRegister implements prometheus.Registerer.
func (n *notes) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := n.Register(c); err != nil {
			panic(err)
		}
	}
}

// described returns the name and the labels of a metric, of which client_golang shows no more than this text.
func described(d *prometheus.Desc) (name string, labels []string) {
	parts := regexp.MustCompile(`^Desc\{fqName: "([^"]*)", help: .*, constLabels: \{.*\}, variableLabels: \{(.*)\}\}$`).FindStringSubmatch(d.String())
	if parts == nil {
		panic(d.String())
	}
	if parts[2] == "" {
		return parts[1], nil
	}
	return parts[1], strings.Split(parts[2], ",")
}

// documentedMetrics are the labels, by name, of the metrics that the tables of a text have. A table of metrics has them in its
// columns Metric and Labels. "as above" are the labels of the coordinator's metric.
func documentedMetrics(text string) map[string][]string {
	metrics := make(map[string][]string)
	for _, table := range doctable.Tables(text) {
		if table.Head[0] != "Metric" || table.Head[1] != "Labels" {
			continue
		}
		for _, row := range table.Rows {
			for _, name := range doctable.Names(row[0]) {
				var labels []string
				switch {
				case row[1] == "as above":
					labels = metrics["benchd_"+strings.TrimPrefix(name, "benchd_agent_")]
				case row[1] != "":
					labels = strings.Split(row[1], ", ")
				}
				metrics[name] = labels
			}
		}
	}
	return metrics
}

// differences compares metrics with their documentation, both ways.
func differences(metrics, documented map[string][]string) []string {
	var found []string
	for name, labels := range metrics {
		switch have, ok := documented[name]; {
		case !ok:
			found = append(found, name+" is not documented")
		case !slices.Equal(slices.Sorted(slices.Values(labels)), slices.Sorted(slices.Values(have))):
			found = append(found, fmt.Sprintf("%s has the labels %v, and %v are documented", name, labels, have))
		}
	}
	for name := range documented {
		if _, ok := metrics[name]; !ok {
			found = append(found, name+" does not exist")
		}
	}
	slices.Sort(found)
	return found
}

// registered are all metrics of a coordinator and of agents, but those of Go's runtime and of the process.
func registered(t *testing.T) map[string][]string {
	t.Helper()
	n := &notes{Registerer: prometheus.NewRegistry(), metrics: make(map[string][]string)}
	hooks := filepath.Join(t.TempDir(), "webhooks.yaml")
	require.NoError(t, os.WriteFile(hooks, []byte("hooks: []\n"), 0o600))
	file, err := webhook.OpenFile(hooks, secret.Resolver{}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	c, err := dev.Start(t.Context(), dev.Config{Agents: 1, Version: "test", Registerer: n, Webhooks: file})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	ca := certstest.NewCA(t)
	_, err = certs.Load(ca.Identify(t, identity.Agent, "a").Write(t, t.TempDir(), ca), certs.Options{Registerer: n})
	require.NoError(t, err)
	_, err = enroll.NewRenewer(enroll.RenewerConfig{Registerer: n})
	require.NoError(t, err)
	standby.New(standby.Config{Registerer: n})
	families, err := debugserver.NewRegistry("test").Gather()
	require.NoError(t, err)
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "go_") && !strings.HasPrefix(f.GetName(), "process_") {
			for _, l := range f.GetMetric()[0].GetLabel() {
				n.metrics[f.GetName()] = append(n.metrics[f.GetName()], l.GetName())
			}
		}
	}
	return n.metrics
}

// docs/prometheus.md has each metric with its labels, and no other.
func TestMetricsAreThoseOfTheDocumentation(t *testing.T) {
	t.Parallel() // it waits most of the time
	metrics := registered(t)
	require.Greater(t, len(metrics), 40)
	text := doctable.Read(t, "docs/prometheus.md")
	require.Empty(t, differences(metrics, documentedMetrics(text)))

	// The test of the test: a metric that is removed, invented or has other labels is found.
	without := maps.Clone(documentedMetrics(text))
	delete(without, "benchd_run_info")
	require.Equal(t, []string{"benchd_run_info is not documented"}, differences(metrics, without))
	invented := documentedMetrics(text + "\n| Metric | Labels |\n| --- | --- |\n| `benchd_invented_total` | run |\n| `benchd_rows_total` | run |\n")
	require.Equal(t, []string{
		"benchd_invented_total does not exist", "benchd_rows_total has the labels [run phase], and [run] are documented",
	}, differences(metrics, invented))
}
