package deploy

import (
	"errors"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	security "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// objects are those of a rendered chart, by name; custom resources by kind and name.
type objects struct {
	services map[string]*core.Service
	configs  map[string]*core.ConfigMap
	sets     map[string]*apps.StatefulSet
	jobs     map[string]*batch.Job
	policies map[string]*network.NetworkPolicy
	custom   map[string]*unstructured.Unstructured
}

// cluster decodes the chart that values make, into Kubernetes's types. A field that a type does not have is an error.
func cluster(t *testing.T, values string) *objects {
	t.Helper()
	documents, _, err := render(values)
	require.NoError(t, err)
	o := &objects{
		services: map[string]*core.Service{}, configs: map[string]*core.ConfigMap{}, sets: map[string]*apps.StatefulSet{}, jobs: map[string]*batch.Job{},
		policies: map[string]*network.NetworkPolicy{}, custom: map[string]*unstructured.Unstructured{},
	}
	for _, text := range documents {
		var kind meta.TypeMeta
		require.NoError(t, yaml.Unmarshal([]byte(text), &kind))
		switch kind.Kind {
		case "Service":
			keep(t, o.services, text, &core.Service{})
		case "ConfigMap":
			keep(t, o.configs, text, &core.ConfigMap{})
		case "StatefulSet":
			keep(t, o.sets, text, &apps.StatefulSet{})
		case "Job":
			keep(t, o.jobs, text, &batch.Job{})
		case "NetworkPolicy":
			keep(t, o.policies, text, &network.NetworkPolicy{})
		case "ServiceMonitor", "PrometheusRule":
			u := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
			o.custom[kind.Kind+" "+u.GetName()] = u
		default:
			require.Failf(t, "unknown kind", "%q: give it a case here", kind)
		}
	}
	return o
}

// keep decodes a document into an object, and keeps it under its name.
func keep[T meta.Object](t *testing.T, all map[string]T, text string, object T) {
	t.Helper()
	require.NoError(t, decode(text, object))
	require.Equal(t, "benchd", object.GetNamespace())
	require.Equal(t, "benchd", object.GetLabels()["app.kubernetes.io/instance"], object.GetName())
	require.NotContains(t, all, object.GetName())
	all[object.GetName()] = object
}

// decode reads a document strictly. It is not yaml.UnmarshalStrict, to which upper and lower case are the same.
func decode(text string, object any) error {
	document, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return err
	}
	strict, err := json.UnmarshalStrict(document, object)
	return errors.Join(append(strict, err)...)
}

// pods returns the templates of all pods, by the name of their controller.
func (o *objects) pods() map[string]*core.PodTemplateSpec {
	all := map[string]*core.PodTemplateSpec{}
	for name, set := range o.sets {
		all[name] = &set.Spec.Template
	}
	for name, job := range o.jobs {
		all[name] = &job.Spec.Template
	}
	return all
}

// group returns the Job of a group of agents.
func (o *objects) group(t *testing.T, name string) *batch.Job {
	t.Helper()
	for _, job := range o.jobs {
		if job.Labels["benchd/group"] == name {
			return job
		}
	}
	require.Failf(t, "no job", "of group %s", name)
	return nil
}

// The code of the API server that enforces pod security admits the pods to a namespace that is restricted, as deploy/helm/namespace.yaml
// is; with hostNetwork only where it is privileged.
func TestPodsMeetTheRestrictedStandard(t *testing.T) {
	t.Parallel()
	var namespace core.Namespace
	require.NoError(t, decode(read(t, filepath.Join(root, "deploy/helm/namespace.yaml")), &namespace))
	require.Equal(t, "restricted", namespace.Labels["pod-security.kubernetes.io/enforce"])
	require.Equal(t, "benchd", namespace.Name)
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	require.NoError(t, err)
	admitted := func(pod *core.PodTemplateSpec) policy.AggregateCheckResult {
		return policy.AggregateCheckResults(evaluator.EvaluatePod(
			security.LevelVersion{Level: security.LevelRestricted, Version: security.LatestVersion()}, &pod.ObjectMeta, &pod.Spec))
	}
	for name, text := range values {
		for controller, pod := range cluster(t, text).pods() {
			result := admitted(pod)
			require.Equal(t, !pod.Spec.HostNetwork, result.Allowed, "%s: %s: %s", name, controller, result.ForbiddenDetail())
		}
	}
	// The test of the test.
	for what, weaken := range map[string]func(*core.PodSpec){
		"root":       func(s *core.PodSpec) { s.SecurityContext.RunAsNonRoot = nil },
		"seccomp":    func(s *core.PodSpec) { s.SecurityContext.SeccompProfile = nil },
		"capability": func(s *core.PodSpec) { s.Containers[0].SecurityContext.Capabilities = nil },
		"escalation": func(s *core.PodSpec) { s.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil },
	} {
		pod := cluster(t, "").sets["benchd-coordinator"].Spec.Template
		weaken(&pod.Spec)
		require.False(t, admitted(&pod).Allowed, what)
	}
}

// Pods run as the image's user, without a token of the API, write only to their volumes, have probes, and declare their resources.
func TestPodsAreConfined(t *testing.T) {
	t.Parallel()
	for _, text := range values {
		c := cluster(t, text)
		for name, template := range c.pods() {
			pod := template.Spec
			require.Equal(t, int64(65532), *pod.SecurityContext.RunAsUser, "%s: the image's user", name)
			require.False(t, *pod.AutomountServiceAccountToken, name)
			require.Empty(t, pod.ServiceAccountName, name)
			require.Len(t, pod.Containers, 1)
			box := pod.Containers[0]
			require.True(t, *box.SecurityContext.ReadOnlyRootFilesystem, name)
			require.NotContains(t, strings.Join(box.Args, " "), "--insecure", name)
			require.Equal(t, "/healthz", box.LivenessProbe.HTTPGet.Path, name)
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
			if set := c.sets[name]; set != nil {
				for _, v := range set.Spec.VolumeClaimTemplates {
					volumes[v.Name] = true
				}
			}
			for _, m := range box.VolumeMounts {
				require.True(t, volumes[m.Name], "%s: volume %s", name, m.Name)
				require.Equal(t, strings.HasPrefix(m.MountPath, "/etc/"), m.ReadOnly, "%s: %s", name, m.MountPath)
				delete(volumes, m.Name)
			}
			require.Empty(t, volumes, "%s: volumes that are not mounted", name)
		}
	}
}

// Certificates come from a Secret of the pod, which only the user of the image reads. The password of PostgreSQL is in no command line.
func TestPodsReadSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range values {
		c := cluster(t, text)
		for name, template := range c.pods() {
			pod := template.Spec
			for _, v := range pod.Volumes {
				if v.Secret != nil {
					require.Zero(t, *v.Secret.DefaultMode&0o337, "%s: %s: mode %o", name, v.Name, *v.Secret.DefaultMode)
				}
			}
			require.Equal(t, *pod.SecurityContext.RunAsGroup, *pod.SecurityContext.FSGroup, "%s: the group of the files", name)
			args := strings.Join(pod.Containers[0].Args, " ")
			for _, flag := range []string{"--tls-cert", "--tls-key", "--tls-ca", "--tls-revoked"} {
				require.Contains(t, args, flag+"=/etc/benchd/tls/", name)
			}
			require.NotContains(t, args, "--archive", name)
		}
	}
	box := cluster(t, values["all"]).sets["benchd-coordinator"].Spec.Template.Spec.Containers[0]
	at := slices.IndexFunc(box.Env, func(e core.EnvVar) bool { return e.Name == "BENCHD_ARCHIVE" })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, "benchd-postgres", box.Env[at].ValueFrom.SecretKeyRef.Name)
	require.Equal(t, "address", box.Env[at].ValueFrom.SecretKeyRef.Key)
}

// All connections are denied but those of the policies. A coordinator opens none, or those to DNS and PostgreSQL. An agent connects to the
// coordinator, the cluster's DNS and private networks, but not to the metadata services of clouds, which hand out credentials.
func TestPoliciesLimitConnections(t *testing.T) {
	t.Parallel()
	for name, text := range values {
		c := cluster(t, text)
		if name == "nothing but a coordinator" {
			require.Empty(t, c.policies)
			continue
		}
		deny := c.policies["benchd-deny"]
		require.Empty(t, deny.Spec.Ingress)
		require.Empty(t, deny.Spec.Egress)
		for policy, p := range c.policies {
			require.ElementsMatch(t, []network.PolicyType{network.PolicyTypeIngress, network.PolicyTypeEgress}, p.Spec.PolicyTypes, policy)
			for _, rule := range p.Spec.Egress {
				require.NotEmpty(t, rule.To, "%s: %s: a rule without peers permits all", name, policy)
			}
			for _, rule := range p.Spec.Ingress {
				require.NotEmpty(t, rule.From, "%s: %s: a rule without peers permits all", name, policy)
				require.NotEmpty(t, rule.Ports, "%s: %s: a rule without ports permits all", name, policy)
			}
		}
		for _, pod := range c.pods() {
			require.True(t, selects(t, &deny.Spec.PodSelector, pod), name)
			require.True(t, selects(t, &c.policies["benchd-"+pod.Labels["app.kubernetes.io/component"]].Spec.PodSelector, pod), name)
		}
	}
	policies := cluster(t, "").policies
	require.Empty(t, policies["benchd-coordinator"].Spec.Egress)
	ingress := policies["benchd-coordinator"].Spec.Ingress
	require.Len(t, ingress, 2)
	require.Equal(t, policies["benchd-agent"].Spec.PodSelector.MatchLabels, ingress[0].From[0].PodSelector.MatchLabels)
	require.Equal(t, []int{7070}, ports(ingress[0].Ports), "an agent does not need HTTP")
	require.Equal(t, []int{7071}, ports(ingress[1].Ports), "Prometheus does not need gRPC")
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

	all := cluster(t, values["all"]).policies
	egress := all["benchd-coordinator"].Spec.Egress
	require.Len(t, egress, 3)
	require.Equal(t, []int{6432}, ports(egress[1].Ports))
	require.True(t, permits(t, egress[1].To, netip.MustParseAddr("10.30.0.7")))
	require.False(t, permits(t, egress[1].To, netip.MustParseAddr("10.30.0.8")))
	require.Equal(t, []int{443}, ports(egress[2].Ports))
	require.Empty(t, all["benchd-agent"].Spec.Ingress, "there is no Prometheus")
	require.Equal(t, []int{7072}, ports(policies["benchd-agent"].Spec.Ingress[0].Ports))
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

// selects reports whether a selector means the pods of a template.
func selects(t *testing.T, selector *meta.LabelSelector, pod *core.PodTemplateSpec) bool {
	t.Helper()
	s, err := meta.LabelSelectorAsSelector(selector)
	require.NoError(t, err)
	return s.Matches(labels.Set(pod.Labels))
}

// With SQLite there is one coordinator, and its archive outlives the pod. With PostgreSQL there are several on nodes of their own, of which
// agents know all addresses; the address that one of them advertises is among these.
func TestCoordinatorsKeepTheirArchive(t *testing.T) {
	t.Parallel()
	c := cluster(t, "")
	set := c.sets["benchd-coordinator"]
	require.Equal(t, int32(1), *set.Spec.Replicas)
	require.Len(t, set.Spec.VolumeClaimTemplates, 1)
	box := set.Spec.Template.Spec.Containers[0]
	at := slices.IndexFunc(box.VolumeMounts, func(m core.VolumeMount) bool { return m.Name == set.Spec.VolumeClaimTemplates[0].Name })
	require.GreaterOrEqual(t, at, 0)
	require.Contains(t, box.Args, "--data="+box.VolumeMounts[at].MountPath)
	require.Equal(t, "/readyz", box.ReadinessProbe.HTTPGet.Path)
	require.Contains(t, c.group(t, "agent").Spec.Template.Spec.Containers[0].Args, "--coordinator=benchd-coordinator:7070")
	require.NotContains(t, strings.Join(box.Args, " "), "--advertise")

	c = cluster(t, values["standby"])
	set = c.sets["benchd-coordinator"]
	require.Equal(t, int32(2), *set.Spec.Replicas)
	box = set.Spec.Template.Spec.Containers[0]
	require.Equal(t, "/readyz", box.ReadinessProbe.HTTPGet.Path, "the service leads to the leader alone")
	require.Equal(t, apps.OnDeleteStatefulSetStrategyType, set.Spec.UpdateStrategy.Type, "a rolling update would wait for the standby to be ready")
	governing := c.services[set.Spec.ServiceName]
	require.Equal(t, core.ClusterIPNone, governing.Spec.ClusterIP)
	require.True(t, governing.Spec.PublishNotReadyAddresses)
	require.Contains(t, box.Args, "--advertise=$(POD_NAME)."+governing.Name+".benchd.svc:7070")
	require.Contains(t, c.group(t, "agent").Spec.Template.Spec.Containers[0].Args,
		"--coordinator=benchd-coordinator-0.benchd-coordinator-pods.benchd.svc:7070,benchd-coordinator-1.benchd-coordinator-pods.benchd.svc:7070")
	apart := slices.ContainsFunc(set.Spec.Template.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, func(a core.PodAffinityTerm) bool {
		return a.TopologyKey == "kubernetes.io/hostname" && selects(t, a.LabelSelector, &set.Spec.Template)
	})
	require.True(t, apart, "two coordinators on one node would fail together")
}

// Two agents never share a node, because they would disturb each other, also those of two groups. A throttled client would measure its
// throttle.
func TestAgentsHaveNodesForThemselves(t *testing.T) {
	t.Parallel()
	c := cluster(t, values["all"])
	for name, job := range c.jobs {
		pod := job.Spec.Template.Spec
		terms := pod.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		require.Len(t, terms, 1)
		require.Equal(t, "kubernetes.io/hostname", terms[0].TopologyKey)
		for _, other := range c.jobs {
			require.True(t, selects(t, terms[0].LabelSelector, &other.Spec.Template), name)
		}
		require.NotEmpty(t, pod.NodeSelector)
		require.Empty(t, pod.SchedulerName, "Kubernetes's own scheduler runs the fleet")
		resources := pod.Containers[0].Resources
		require.Equal(t, resources.Requests, resources.Limits)
		require.Zero(t, resources.Limits.Cpu().MilliValue()%1000, "the CPU manager gives whole processors")
	}
	require.Len(t, c.jobs, 2)
}

// An agent comes back: in its pod, with its spool, when it fails; in another pod, with the same name, when its pod is removed. The limit
// of failures, at which a Job would end all of its agents, is out of reach.
func TestAgentsComeBack(t *testing.T) {
	t.Parallel()
	job := cluster(t, "").group(t, "agent")
	require.Equal(t, batch.IndexedCompletion, *job.Spec.CompletionMode)
	require.Equal(t, *job.Spec.Completions, *job.Spec.Parallelism)
	require.EqualValues(t, 1<<31-1, *job.Spec.BackoffLimit)
	require.Nil(t, job.Spec.ActiveDeadlineSeconds)
	pod := job.Spec.Template.Spec
	require.Equal(t, core.RestartPolicyOnFailure, pod.RestartPolicy)
	box := pod.Containers[0]
	require.Contains(t, box.Args, "--name=agent-$(INDEX)")
	require.Equal(t, "metadata.annotations['batch.kubernetes.io/job-completion-index']", box.Env[0].ValueFrom.FieldRef.FieldPath)
	require.Contains(t, box.Args, "--spool=/var/lib/benchd/spool")
	require.Contains(t, box.Args, "--signal-exit-code=75", "with 0 a Job takes the agent of a drained node for done")
	spool := slices.IndexFunc(box.VolumeMounts, func(m core.VolumeMount) bool { return m.MountPath == "/var/lib/benchd" })
	require.GreaterOrEqual(t, spool, 0)
	at := slices.IndexFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == box.VolumeMounts[spool].Name })
	require.NotNil(t, pod.Volumes[at].EmptyDir)
}

// Each service selects pods and one of their ports; each set has a governing service; each controller selects its own pods.
func TestObjectsMeetEachOther(t *testing.T) {
	t.Parallel()
	for name, text := range values {
		c := cluster(t, text)
		for set, s := range c.sets {
			require.True(t, selects(t, s.Spec.Selector, &s.Spec.Template), set)
			require.NotNil(t, c.services[s.Spec.ServiceName], "%s: service %q", set, s.Spec.ServiceName)
		}
		for service, s := range c.services {
			met := 0
			for _, pod := range c.pods() {
				if !selects(t, &meta.LabelSelector{MatchLabels: s.Spec.Selector}, pod) {
					continue
				}
				met++
				for _, port := range s.Spec.Ports {
					require.Contains(t, portNames(pod.Spec.Containers[0]), port.TargetPort.String(), "%s: %s", name, service)
				}
			}
			require.Positive(t, met, "%s: %s", name, service)
		}
	}
}
