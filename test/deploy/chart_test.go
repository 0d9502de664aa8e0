package deploy

import (
	"crypto/x509"
	"encoding/json"
	"maps"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	core "k8s.io/api/core/v1"
)

const chart = root + "/deploy/helm/benchd"

// Values of the tests, by name.
var values = map[string]string{
	"defaults": "",
	"standby": `
archive: {postgres: {existingSecret: benchd-postgres}}
coordinator: {replicas: 2}
`,
	"all": `
image: {repository: registry.internal/benchd, digest: "sha256:` + strings.Repeat("0a", 32) + `", pullPolicy: Always, pullSecrets: [registry]}
archive:
  volume: {size: 50Gi, storageClass: fast}
  postgres: {existingSecret: benchd-postgres, key: address, tlsSecret: benchd-postgres-tls}
coordinator:
  replicas: 3
  enroll: true
  keep: 90d,50GB
  extraArgs: [--console=false, --webhooks=/etc/benchd/webhooks/webhooks.yaml]
  extraEnv: [{name: PGTZ, value: UTC}]
  extraVolumes: [{name: webhooks, secret: {secretName: benchd-webhooks, defaultMode: 288}}]
  extraVolumeMounts: [{name: webhooks, mountPath: /etc/benchd/webhooks, readOnly: true}]
  nodeSelector: {zone: a}
  tolerations: [{key: control, operator: Exists}]
  service: {type: LoadBalancer, annotations: {internal: "true"}}
agent: {allowTargets: [10.20.0.0/16, "zk1.example.org:2181"]}
agents:
  - {name: rack1, count: 6, labels: {rack: "1"}}
  - name: rack2
    count: 2
    cpu: 8
    memory: 16Gi
    spoolSize: 20Gi
    tlsSecret: benchd-rack2-tls
    nodeSelector: {rack: "2"}
    tolerations: []
    metricsPort: 17072
    extraArgs: [--target-tls-cert=/etc/benchd/target/tls.pem]
    extraEnv: [{name: GOMAXPROCS, value: "8"}]
    extraVolumes: [{name: target, secret: {secretName: target, defaultMode: 288}}]
    extraVolumeMounts: [{name: target, mountPath: /etc/benchd/target, readOnly: true}]
networkPolicy:
  clients: [{podSelector: {}}]
  prometheus: []
  targets: [{ipBlock: {cidr: 10.20.0.0/16}}]
  postgres: {port: 6432, to: [{ipBlock: {cidr: 10.30.0.7/32}}]}
  nodes: [10.1.0.0/16]
  coordinatorEgress: [{to: [{ipBlock: {cidr: 192.0.2.7/32}}], ports: [{port: 443}]}]
monitoring:
  serviceMonitor: {enabled: true, labels: {release: prometheus}}
  rules: {enabled: true, labels: {release: prometheus}}
  dashboard: {enabled: true, annotations: {grafana_folder: benchd}}
`,
	"host network": `
agents: [{name: agent, count: 2, hostNetwork: true}]
networkPolicy: {nodes: [10.1.0.0/16]}
`,
	"nothing but a coordinator": `
agents: []
networkPolicy: {enabled: false}
`,
}

// render returns the documents that Helm makes of the chart with values, by its own engine, and the notes for the user.
func render(values string) (documents []string, notes string, err error) {
	c, err := loader.Load(chart)
	if err != nil {
		return nil, "", err
	}
	given, err := common.ReadValues([]byte(values))
	if err != nil {
		return nil, "", err
	}
	all, err := util.ToRenderValues(c, given, common.ReleaseOptions{Name: "benchd", Namespace: "benchd", IsInstall: true}, nil)
	if err != nil {
		return nil, "", err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, "", err
	}
	for name, text := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			notes = text
			continue
		}
		for part := range strings.SplitSeq("\n"+text, "\n---\n") {
			if strings.TrimSpace(part) != "" {
				documents = append(documents, part)
			}
		}
	}
	return documents, notes, nil
}

// Each object of the chart, and the namespace's, has the fields that the API server knows, and no others.
func TestChartMeetsTheSchemasOfKubernetes(t *testing.T) {
	t.Parallel()
	all := apiSchemas(t)
	require.NoError(t, all.validate(read(t, filepath.Join(root, "deploy/helm/namespace.yaml"))))
	kinds := map[string]bool{}
	for name, text := range values {
		documents, _, err := render(text)
		require.NoError(t, err, name)
		for _, document := range documents {
			require.NoError(t, all.validate(document), "%s:\n%s", name, document)
			kinds[regexp.MustCompile(`(?m)^kind: (.*)$`).FindStringSubmatch(document)[1]] = true
		}
	}
	require.Len(t, kinds, 7, "each kind of object has been validated: %v", kinds)
}

// The test of the test: the schemas find a mistyped field, a wrong type, a value that is none of a list, and what is missing.
func TestMistypedObjectIsRefused(t *testing.T) {
	t.Parallel()
	all := apiSchemas(t)
	documents, _, err := render(values["all"])
	require.NoError(t, err)
	for _, change := range []struct{ kind, from, to string }{
		{"StatefulSet", "runAsNonRoot: true", "runAsNonRoute: true"},
		{"StatefulSet", "readOnlyRootFilesystem: true", "readOnlyRootFileSystem: true"},
		{"StatefulSet", "replicas: 3", "replicas: 3\n  replicas: 2"},
		{"StatefulSet", "serviceName: benchd-coordinator-pods", "serviceName: 5"},
		{"Job", "completions: 6", "completions: six"},
		{"Job", "restartPolicy: OnFailure", "restartPolicies: OnFailure"},
		{"Job", "  template:\n", "  templates:\n"},
		{"Service", "targetPort: grpc", "targetPort: [grpc]"},
		{"NetworkPolicy", "podSelector:", "podSelectors:"},
		{"ConfigMap", "benchd.json: |", "benchd.json: 5 #"},
		{"ServiceMonitor", "targetLabel: job", "target: job"},
		{"ServiceMonitor", "action: replace", "action: replaced"},
		{"ServiceMonitor", "interval: 5s", "interval: five"},
		{"PrometheusRule", "expr:", "expression:"},
		{"PrometheusRule", "- alert: ", "- name: "},
	} {
		at := slices.IndexFunc(documents, func(d string) bool {
			return strings.Contains(d, "\nkind: "+change.kind+"\n") && strings.Contains(d, change.from)
		})
		require.GreaterOrEqual(t, at, 0, change)
		require.Error(t, all.validate(strings.Replace(documents[at], change.from, change.to, 1)), change)
	}
}

// A wrong value is an error that names it.
func TestWrongValuesAreNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"coordinator: {replicas: 0}":                         "'/coordinator/replicas'",
		"coordinator: {replica: 2}":                          "additional properties 'replica' not allowed",
		"coordinator: {replicas: 2}":                         "coordinator.replicas is 2, which needs PostgreSQL: set archive.postgres.existingSecret",
		"coordinator: {extraArgs: [keep=90d]}":               "'/coordinator/extraArgs/0'",
		"coordinator: {resources: {requests: {}}}":           "", // merged with the defaults
		"agents: [{name: rack1, count: 0}]":                  "'/agents/0/count'",
		"agents: [{name: rack1}]":                            "missing property 'count'",
		"agents: [{name: Rack 1, count: 1}]":                 "'/agents/0/name'",
		"agents: [{name: a, count: 1}, {name: a, count: 2}]": "agents: two groups have the name a: rename one of them",
		"agents: [{name: a, count: 1, cpu: 1.5}]":            "'/agents/0/cpu'",
		"agents: [{name: a, count: 1, nodeSelector: {}}]":    "'/agents/0/nodeSelector'",
		"agent: {memory: lots}":                              "'/agent/memory'",
		"agent: {hostNetwork: true}":                         "agents of group agent have hostNetwork, and the coordinator's policy does not permit their nodes: set networkPolicy.nodes",
		"archive: {postgres: {url: postgres://db}}":          "additional properties 'url' not allowed",
		"image: {digest: latest}":                            "'/image/digest'",
		"networkPolicy: {nodes: [10.1.0.0]}":                 "'/networkPolicy/nodes/0'",
		"monitoring: {serviceMonitor: {interval: 5}}":        "'/monitoring/serviceMonitor/interval'",
		"postgres: {}":                                       "additional properties 'postgres' not allowed",
	} {
		_, _, err := render(text)
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, want, text)
		require.Equal(t, 1, strings.Count(err.Error(), "\n- at")+strings.Count(err.Error(), "execution error at"), "%s: one error:\n%s", text, err)
	}
}

// Every value is in values.yaml, with a comment, and in the schema.
func TestValuesAreDocumented(t *testing.T) {
	t.Parallel()
	var file yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(read(t, filepath.Join(chart, "values.yaml"))), &file))
	var schema schemaNode
	require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(chart, "values.schema.json"))), &schema))
	delete(schema.Properties, "global") // Helm's own
	compareValues(t, "", file.Content[0], schema)
	group := schema.Properties["agents"].Items.Properties
	for key := range schema.Properties["agent"].Properties {
		require.Equal(t, schema.Properties["agent"].Properties[key], group[key], "agents: %s", key)
	}
	require.Len(t, group, len(schema.Properties["agent"].Properties)+2, "a group has a name and a count, too")
}

// schemaNode is what the test reads of the schema of values.
type schemaNode struct {
	Ref        string                `json:"$ref"`
	Type       any                   `json:"type"`
	Minimum    int                   `json:"minimum"`
	Properties map[string]schemaNode `json:"properties"`
	Items      *schemaNode           `json:"items"`
}

// compareValues compares the keys of a mapping with the properties of its schema.
func compareValues(t *testing.T, path string, mapping *yaml.Node, schema schemaNode) {
	t.Helper()
	var keys []string
	for pair := range slices.Chunk(mapping.Content, 2) {
		key, at := pair[0].Value, path+"."+pair[0].Value
		keys = append(keys, key)
		property := schema.Properties[key]
		if property.Properties != nil {
			compareValues(t, at, pair[1], property)
			continue
		}
		require.NotEmpty(t, pair[0].HeadComment, "%s has no comment above it", at)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(schema.Properties)), keys, "values below %q", path)
}

// The flags and variables of the pods are those of the programs, as their reference has them, which tests compare with the programs.
func TestChartUsesFlagsOfThePrograms(t *testing.T) {
	t.Parallel()
	reference := read(t, filepath.Join(root, "docs/benchd.md"))
	section := func(command string) string {
		_, after, found := strings.Cut(reference, "\n## benchd "+command+"\n")
		require.True(t, found, command)
		text, _, _ := strings.Cut(after, "\n## ")
		return text
	}
	for name, text := range values {
		for _, pod := range cluster(t, text).pods() {
			box := pod.Spec.Containers[0]
			known := section(box.Args[0])
			for _, arg := range box.Args[1:] {
				flag, _, _ := strings.Cut(arg, "=")
				require.True(t, regexp.MustCompile("(?m)^\\| `"+regexp.QuoteMeta(flag)+"[ `]").MatchString(known), "%s: benchd %s has no flag %s", name, box.Args[0], flag)
			}
			for _, variable := range box.Env {
				if strings.HasPrefix(variable.Name, "BENCHD_") {
					require.True(t, strings.Contains(known, "`"+variable.Name+"`"), "%s: benchd %s has no variable %s", name, box.Args[0], variable.Name)
				}
			}
		}
	}
}

// The documented certificate of a coordinator has the names by which agents and Prometheus reach it.
func TestDocumentedCertificateHasTheNames(t *testing.T) {
	t.Parallel()
	var certificate x509.Certificate
	for _, host := range regexp.MustCompile(`--host (\S+)`).FindAllStringSubmatch(read(t, documented(t)), -1) {
		certificate.DNSNames = append(certificate.DNSNames, host[1])
	}
	for _, name := range []string{"defaults", "standby", "all"} {
		c := cluster(t, values[name])
		for _, job := range c.jobs {
			flag := job.Spec.Template.Spec.Containers[0].Args[1]
			require.Contains(t, flag, "--coordinator=")
			for address := range strings.SplitSeq(strings.TrimPrefix(flag, "--coordinator="), ",") {
				host, _, err := net.SplitHostPort(address)
				require.NoError(t, err)
				if !strings.HasPrefix(host, "benchd-coordinator-2.") { // the commands are for two coordinators
					require.NoError(t, certificate.VerifyHostname(host), name)
				}
			}
		}
	}
	require.NoError(t, certificate.VerifyHostname("benchd-coordinator"), "the server name of the ServiceMonitor")
	require.NoError(t, certificate.VerifyHostname("agent.benchd.internal"), "that of agents")
}

// What is the user's own reaches the pods.
func TestValuesReachThePods(t *testing.T) {
	t.Parallel()
	c := cluster(t, values["all"])
	coordinator := c.sets["benchd-coordinator"].Spec.Template.Spec
	require.Equal(t, "registry.internal/benchd@sha256:"+strings.Repeat("0a", 32), coordinator.Containers[0].Image)
	require.Equal(t, []core.LocalObjectReference{{Name: "registry"}}, coordinator.ImagePullSecrets)
	require.Subset(t, coordinator.Containers[0].Args, []string{"--keep=90d,50GB", "--enroll=/etc/benchd/tls", "--console=false"})
	one, two := c.group(t, "rack1").Spec.Template.Spec, c.group(t, "rack2").Spec.Template.Spec
	require.Subset(t, one.Containers[0].Args, []string{"--label=rack=1", "--allow-target=10.20.0.0/16", "--allow-target=zk1.example.org:2181"})
	require.Equal(t, map[string]string{"benchd/client": "true"}, one.NodeSelector)
	require.NotEmpty(t, one.Tolerations)
	require.Equal(t, map[string]string{"rack": "2"}, two.NodeSelector, "that of a group replaces the default")
	require.Empty(t, two.Tolerations)
	require.Equal(t, int64(8), two.Containers[0].Resources.Limits.Cpu().Value())
	require.Contains(t, two.Containers[0].Args, "--metrics-listen=0.0.0.0:17072")
	require.EqualValues(t, 6, *c.group(t, "rack1").Spec.Parallelism)
	_, notes, err := render(values["all"])
	require.NoError(t, err)
	for _, secret := range []string{"benchd-coordinator-tls", "benchd-agent-tls", "benchd-rack2-tls", "benchd-postgres"} {
		require.Contains(t, notes, "\n  "+secret+"\n")
	}
}

// An upgrade of the image or of another part of the pods is a Job of another name; another count is the same Job with other numbers, so
// that agents are added while the others go on.
func TestJobsFollowTheirPods(t *testing.T) {
	t.Parallel()
	name := func(text string) string { return cluster(t, text).group(t, "a").Name }
	before := name("agents: [{name: a, count: 2}]")
	require.Regexp(t, `^benchd-a-[0-9a-f]{8}$`, before)
	require.Equal(t, before, name("agents: [{name: a, count: 4}, {name: b, count: 1}]"))
	require.NotEqual(t, before, name("{image: {tag: v2}, agents: [{name: a, count: 2}]}"))
	require.NotEqual(t, before, name("agents: [{name: a, count: 2, cpu: 2}]"))
}
