package deploy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// Custom resources need their definitions, so there are none until they are wanted.
func TestMonitoringIsOptional(t *testing.T) {
	t.Parallel()
	c := cluster(t, "")
	require.Empty(t, c.custom)
	require.Empty(t, c.configs)
}

// The alerts are those of deploy/prometheus, and the dashboard is that of deploy/grafana, with the label that Grafana's sidecar looks for.
func TestAlertsAndDashboardAreThoseOfTheRepository(t *testing.T) {
	t.Parallel()
	c := cluster(t, values["all"])
	var rules map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(read(t, filepath.Join(root, "deploy/prometheus/benchd.rules.yml"))), &rules))
	require.NotEmpty(t, rules["groups"])
	rule := c.custom["PrometheusRule benchd"]
	require.Equal(t, rules, rule.Object["spec"])
	require.Equal(t, "prometheus", rule.GetLabels()["release"])
	dashboard := c.configs["benchd-dashboard"]
	require.Equal(t, "1", dashboard.Labels["grafana_dashboard"])
	require.Equal(t, read(t, filepath.Join(root, "deploy/grafana/benchd.json")), dashboard.Data["benchd.json"])
}

// Each monitor selects one service and its port, verifies a name that the certificates have, and gives series the labels of
// deploy/prometheus, which the alerts and the dashboard use.
func TestMonitorsFindTheirServices(t *testing.T) {
	t.Parallel()
	c := cluster(t, values["all"])
	for component, want := range map[string]struct{ service, server, port string }{
		"coordinator": {"benchd-coordinator-pods", "benchd-coordinator", "http"},
		"agent":       {"benchd-agents", "agent.benchd.internal", "metrics"},
	} {
		monitor := c.custom["ServiceMonitor benchd-"+component]
		require.NotNil(t, monitor, component)
		require.Equal(t, "prometheus", monitor.GetLabels()["release"])
		selector, _, err := unstructured.NestedStringMap(monitor.Object, "spec", "selector", "matchLabels")
		require.NoError(t, err)
		var found []string
		for name, service := range c.services {
			if labels.SelectorFromSet(selector).Matches(labels.Set(service.Labels)) {
				found = append(found, name)
			}
		}
		require.Equal(t, []string{want.service}, found)
		endpoints, _, err := unstructured.NestedSlice(monitor.Object, "spec", "endpoints")
		require.NoError(t, err)
		require.Len(t, endpoints, 1)
		endpoint := endpoints[0].(map[string]any)
		require.Equal(t, "https", endpoint["scheme"])
		require.Equal(t, want.port, endpoint["port"])
		require.True(t, slices.ContainsFunc(c.services[want.service].Spec.Ports, func(p core.ServicePort) bool { return p.Name == want.port }))
		require.Equal(t, want.server, endpoint["tlsConfig"].(map[string]any)["serverName"])
		text, err := yaml.Marshal(endpoint)
		require.NoError(t, err)
		require.Equal(t, 3, strings.Count(string(text), "name: benchd-prometheus-tls"), "the authority, the certificate and its key")
		relabelings := endpoint["relabelings"].([]any)
		require.Equal(t, "benchd-"+component, relabelings[0].(map[string]any)["replacement"])
		require.Contains(t, read(t, filepath.Join(root, "deploy/prometheus/prometheus.yml")), "job_name: benchd-"+component+"\n")
		if component == "agent" {
			require.Equal(t, "agent", relabelings[1].(map[string]any)["targetLabel"])
			require.Contains(t, c.group(t, "rack1").Spec.Template.Labels, "benchd/group")
		}
	}
}
