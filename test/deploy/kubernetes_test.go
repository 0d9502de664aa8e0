package deploy

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// cluster has the objects of the manifests.
type cluster struct {
	namespaces []*core.Namespace
	services   map[string]*core.Service
	sets       map[string]*apps.StatefulSet
	policies   map[string]*network.NetworkPolicy
}

// decode reads a manifest into the type that it names. A field that the type does not have is an error.
func (c *cluster) decode(t *testing.T, text string) error {
	t.Helper()
	var kind meta.TypeMeta
	require.NoError(t, yaml.Unmarshal([]byte(text), &kind))
	var object meta.Object
	switch kind.APIVersion + " " + kind.Kind {
	case "v1 Namespace":
		n := &core.Namespace{}
		c.namespaces, object = append(c.namespaces, n), n
	case "v1 Service":
		object = &core.Service{}
	case "apps/v1 StatefulSet":
		object = &apps.StatefulSet{}
	case "networking.k8s.io/v1 NetworkPolicy":
		object = &network.NetworkPolicy{}
	default:
		require.Failf(t, "unknown kind", "%q: give it a case here", kind)
	}
	// Not yaml.UnmarshalStrict, to which upper and lower case are the same.
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return err
	}
	strict, err := json.UnmarshalStrict(document, object)
	if err := errors.Join(append(strict, err)...); err != nil {
		return err
	}
	switch o := object.(type) {
	case *core.Service:
		c.services[o.Name] = o
	case *apps.StatefulSet:
		c.sets[o.Name] = o
	case *network.NetworkPolicy:
		c.policies[o.Name] = o
	}
	return nil
}

// manifests decodes all that is in deploy/kubernetes.
func manifests(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{services: map[string]*core.Service{}, sets: map[string]*apps.StatefulSet{}, policies: map[string]*network.NetworkPolicy{}}
	files, err := filepath.Glob(filepath.Join(root, "deploy/kubernetes/*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split(string(text), "\n---\n") {
			require.NoError(t, c.decode(t, part), file)
		}
	}
	return c
}

// The test of the test: an unknown field is found, and so is a duplicate.
func TestMistypedManifestIsRefused(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "deploy/kubernetes/10-coordinator.yaml"))
	require.NoError(t, err)
	_, set, found := strings.Cut(string(text), "\n---\n")
	require.True(t, found)
	for from, to := range map[string]string{
		"runAsNonRoot: true":           "runAsNonRoute: true",
		"readOnlyRootFilesystem: true": "readOnlyRootFileSystem: true",
		"replicas: 1":                  "replicas: 1\n  replicas: 2",
	} {
		require.Contains(t, set, from)
		c := &cluster{sets: map[string]*apps.StatefulSet{}}
		require.Error(t, c.decode(t, strings.Replace(set, from, to, 1)), to)
	}
}

// Pods run as an unprivileged user, write only to their volumes, have probes, and declare their resources.
func TestPodsAreConfined(t *testing.T) {
	c := manifests(t)
	require.Len(t, c.sets, 2)
	for name, set := range c.sets {
		pod := set.Spec.Template.Spec
		require.Equal(t, "benchd", set.Namespace)
		require.True(t, *pod.SecurityContext.RunAsNonRoot, name)
		require.Equal(t, int64(65532), *pod.SecurityContext.RunAsUser, "%s: the image's user", name)
		require.Equal(t, core.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type, name)
		require.False(t, *pod.AutomountServiceAccountToken, name)
		require.Len(t, pod.Containers, 1)
		box := pod.Containers[0]
		require.True(t, *box.SecurityContext.ReadOnlyRootFilesystem, name)
		require.False(t, *box.SecurityContext.AllowPrivilegeEscalation, name)
		require.Equal(t, []core.Capability{"ALL"}, box.SecurityContext.Capabilities.Drop, name)
		require.Equal(t, "/healthz", box.LivenessProbe.HTTPGet.Path, name)
		require.Equal(t, "/readyz", box.ReadinessProbe.HTTPGet.Path, name)
		for _, probe := range []*core.Probe{box.LivenessProbe, box.ReadinessProbe} {
			require.Contains(t, portNames(box), probe.HTTPGet.Port.String(), name)
			require.Equal(t, core.URISchemeHTTPS, probe.HTTPGet.Scheme, name)
		}
		for _, resource := range []core.ResourceName{core.ResourceCPU, core.ResourceMemory} {
			require.Contains(t, box.Resources.Requests, resource, name)
		}
		require.Contains(t, box.Resources.Limits, core.ResourceMemory, name)
		volumes := map[string]bool{}
		for _, v := range pod.Volumes {
			volumes[v.Name] = true
		}
		for _, v := range set.Spec.VolumeClaimTemplates {
			volumes[v.Name] = true
		}
		paths := []string{}
		for _, m := range box.VolumeMounts {
			require.True(t, volumes[m.Name], "%s: volume %s", name, m.Name)
			paths = append(paths, m.MountPath)
		}
		require.ElementsMatch(t, []string{"/var/lib/benchd", "/tmp", "/etc/benchd/tls"}, paths, name)
	}
}

// Certificates come from a Secret of the pod, read-only, and only the user of the image reads them.
func TestPodsReadCertificatesFromSecrets(t *testing.T) {
	for name, set := range manifests(t).sets {
		pod := set.Spec.Template.Spec
		at := slices.IndexFunc(pod.Volumes, func(v core.Volume) bool { return v.Secret != nil })
		require.GreaterOrEqual(t, at, 0, name)
		secret := pod.Volumes[at].Secret
		require.Equal(t, name+"-tls", secret.SecretName)
		require.Zero(t, *secret.DefaultMode&0o337, "%s: mode %o", name, *secret.DefaultMode)
		require.Equal(t, *pod.SecurityContext.RunAsGroup, *pod.SecurityContext.FSGroup, "%s: the group of the files", name)
		mounts := pod.Containers[0].VolumeMounts
		mount := slices.IndexFunc(mounts, func(m core.VolumeMount) bool { return m.Name == pod.Volumes[at].Name })
		require.GreaterOrEqual(t, mount, 0, name)
		require.True(t, mounts[mount].ReadOnly, name)
		args := strings.Join(pod.Containers[0].Args, " ")
		for _, file := range []string{"--tls-cert", "--tls-key", "--tls-ca"} {
			require.Contains(t, args, file+"="+mounts[mount].MountPath+"/", name)
		}
		require.NotContains(t, args, "--insecure", name)
	}
}

// A coordinator opens no connections. An agent connects to the coordinator, the cluster's DNS and private networks, but not to the
// metadata services of clouds, which hand out credentials.
func TestPoliciesLimitConnections(t *testing.T) {
	policies := manifests(t).policies
	for name, policy := range policies {
		require.ElementsMatch(t, []network.PolicyType{network.PolicyTypeIngress, network.PolicyTypeEgress}, policy.Spec.PolicyTypes, name)
		for _, rule := range policy.Spec.Egress {
			require.NotEmpty(t, rule.To, "%s: a rule without peers permits all", name)
		}
	}
	require.Empty(t, policies["benchd-coordinator"].Spec.Egress)
	rules := policies["benchd-agent"].Spec.Egress
	require.Len(t, rules, 3)
	require.Equal(t, policies["benchd-coordinator"].Spec.PodSelector.MatchLabels, rules[0].To[0].PodSelector.MatchLabels)
	require.Equal(t, []int{7070}, ports(rules[0].Ports))
	require.Equal(t, []int{53, 53}, ports(rules[1].Ports))
	for address, permitted := range map[string]bool{
		"10.1.2.3": true, "172.31.0.1": true, "192.168.7.8": true, "fd12::1": true,
		"169.254.169.254": false, "fd00:ec2::254": false, "8.8.8.8": false, "172.32.0.1": false, "127.0.0.1": false, "2001:db8::1": false, "fe80::1": false,
	} {
		require.Equal(t, permitted, permits(t, rules[2].To, netip.MustParseAddr(address)), address)
	}
}

// permits reports whether a peer is a block with an address.
func permits(t *testing.T, peers []network.NetworkPolicyPeer, address netip.Addr) bool {
	t.Helper()
	within := func(block string) bool {
		prefix, err := netip.ParsePrefix(block)
		require.NoError(t, err)
		return prefix.Contains(address)
	}
	return slices.ContainsFunc(peers, func(p network.NetworkPolicyPeer) bool {
		return within(p.IPBlock.CIDR) && !slices.ContainsFunc(p.IPBlock.Except, within)
	})
}

func ports(all []network.NetworkPolicyPort) []int {
	numbers := make([]int, len(all))
	for i, p := range all {
		numbers[i] = p.Port.IntValue()
	}
	return numbers
}

func portNames(box core.Container) []string {
	names := make([]string, len(box.Ports))
	for i, p := range box.Ports {
		names[i] = p.Name
	}
	return names
}

// The archive outlives its pod, and there is one coordinator.
func TestCoordinatorKeepsItsArchive(t *testing.T) {
	set := manifests(t).sets["benchd-coordinator"]
	require.Equal(t, int32(1), *set.Spec.Replicas)
	require.Len(t, set.Spec.VolumeClaimTemplates, 1)
	box := set.Spec.Template.Spec.Containers[0]
	at := slices.IndexFunc(box.VolumeMounts, func(m core.VolumeMount) bool { return m.Name == set.Spec.VolumeClaimTemplates[0].Name })
	require.GreaterOrEqual(t, at, 0)
	require.Contains(t, box.Args, "--data="+box.VolumeMounts[at].MountPath)
}

// Two agents never share a node, because they would disturb each other. A throttled client would measure its throttle.
func TestAgentsHaveNodesForThemselves(t *testing.T) {
	set := manifests(t).sets["benchd-agent"]
	pod := set.Spec.Template.Spec
	terms := pod.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	require.Len(t, terms, 1)
	require.Equal(t, "kubernetes.io/hostname", terms[0].TopologyKey)
	for k, v := range terms[0].LabelSelector.MatchLabels {
		require.Equal(t, v, set.Spec.Template.Labels[k], "the term means these pods")
	}
	require.Equal(t, map[string]string{"benchd/client": "true"}, pod.NodeSelector)
	require.Empty(t, pod.SchedulerName, "Kubernetes's own scheduler runs the fleet")
	box := pod.Containers[0]
	require.Equal(t, box.Resources.Requests, box.Resources.Limits)
}

// Each service selects its pods and one of their ports; each set has a governing service; each policy selects existing pods, and each
// pod has a policy.
func TestManifestsMeetEachOther(t *testing.T) {
	c := manifests(t)
	require.Len(t, c.namespaces, 1)
	require.Equal(t, "benchd", c.namespaces[0].Name)
	require.Equal(t, "restricted", c.namespaces[0].Labels["pod-security.kubernetes.io/enforce"])
	for name, set := range c.sets {
		labels := set.Spec.Template.Labels
		require.Subset(t, labels, set.Spec.Selector.MatchLabels, name)
		service, policy := c.services[set.Spec.ServiceName], c.policies[name]
		require.NotNil(t, service, "%s: service %q", name, set.Spec.ServiceName)
		require.NotNil(t, policy, "%s: network policy", name)
		require.Subset(t, labels, service.Spec.Selector, name)
		require.Subset(t, labels, policy.Spec.PodSelector.MatchLabels, name)
		for _, port := range service.Spec.Ports {
			require.Contains(t, portNames(set.Spec.Template.Spec.Containers[0]), port.TargetPort.String(), name)
		}
	}
}
