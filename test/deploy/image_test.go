package deploy

import (
	"crypto/x509"
	"fmt"
	goversion "go/version"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/stretchr/testify/require"
	core "k8s.io/api/core/v1"
)

// stages parses the Dockerfile as BuildKit does; what its linter finds is an error.
func stages(t *testing.T) []instructions.Stage {
	t.Helper()
	f, err := os.Open(filepath.Join(root, "deploy/Dockerfile"))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	parsed, err := parser.Parse(f)
	require.NoError(t, err)
	require.Empty(t, parsed.Warnings)
	stages, _, err := instructions.Parse(parsed.AST, nil)
	require.NoError(t, err)
	require.Len(t, stages, 2)
	return stages
}

// steps writes the instructions of the build stage as lines for image.sh: the instruction, and what it is applied to.
func steps(t *testing.T, stage instructions.Stage) string {
	t.Helper()
	var b strings.Builder
	for _, c := range stage.Commands {
		switch c := c.(type) {
		case *instructions.WorkdirCommand:
			fmt.Fprintf(&b, "workdir\t%s\n", c.Path)
		case *instructions.CopyCommand:
			require.Empty(t, c.From, "the build stage copies from the context")
			fmt.Fprintf(&b, "copy\t%s\t%s\n", strings.Join(c.SourcePaths, " "), c.DestPath)
		case *instructions.ArgCommand:
			for _, arg := range c.Args {
				fmt.Fprintf(&b, "arg\t%s\n", arg.Key)
			}
		case *instructions.RunCommand:
			require.True(t, c.PrependShell, "RUN %v: in the form of the shell", c.CmdLine)
			fmt.Fprintf(&b, "run\t%s\n", strings.ReplaceAll(strings.Join(c.CmdLine, " "), "\n", " "))
		default:
			require.Failf(t, "unknown instruction", "%s: give it a step in image.sh", c.Name())
		}
	}
	return b.String()
}

// context is what docker would send to the build: a clean clone without what the ignore file names.
func buildContext(t *testing.T) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "context")
	succeed(t, root, nil, "git", "clone", "--quiet", ".", clone)
	f, err := os.Open(filepath.Join(root, "deploy/Dockerfile.dockerignore"))
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	patterns, err := ignorefile.ReadAll(f)
	require.NoError(t, err)
	ignored, err := patternmatcher.New(patterns)
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(clone, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == clone {
			return err
		}
		rel, err := filepath.Rel(clone, path)
		if err != nil {
			return err
		}
		out, err := ignored.MatchesOrParentMatches(rel)
		if err != nil || !out {
			return err
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if entry.IsDir() {
			return filepath.SkipDir
		}
		return nil
	}))
	return clone
}

// The steps of the build, executed one by one, end in an image of two static programs and folders to write to, which runs as
// an ordinary user whose root file system is read-only, by the command lines of the compose file and of the chart.
func TestImageRuns(t *testing.T) {
	t.Parallel()
	release(t) // fills the build cache
	all := stages(t)
	build, last := all[0], all[1]
	require.Equal(t, "scratch", last.BaseName)
	work := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(work, "steps"), []byte(steps(t, build)), 0o600))
	image := filepath.Join(work, "image")
	require.NoError(t, os.Mkdir(image, 0o755))
	files := buildContext(t)
	succeed(t, files, nil, "go", "mod", "download") // the build is within a namespace without a network
	t.Log(within(t, "build.sh", []string{"VERSION=" + version, "COMMIT=0123456789ab"},
		work, files, goEnv(t, "GOROOT"), goEnv(t, "GOCACHE"), goEnv(t, "GOMODCACHE")))

	user, entry := "", ""
	for _, c := range last.Commands {
		switch c := c.(type) {
		case *instructions.CopyCommand:
			require.Equal(t, build.Name, c.From)
			require.Equal(t, []string{"/image/"}, c.SourcePaths)
			require.Equal(t, "/", c.DestPath)
		case *instructions.UserCommand:
			user = c.User
		case *instructions.EntrypointCommand:
			require.Equal(t, []string{"benchd"}, []string(c.CmdLine))
			entry = "/usr/local/bin/benchd"
		}
	}
	require.Equal(t, "65532:65532", user)
	require.NotEmpty(t, entry)
	contains(t, image)

	compose, chart := project(t), cluster(t, "")
	coordinator, agent := chart.sets["benchd-coordinator"].Spec.Template.Spec, chart.group(t, "agent").Spec.Template.Spec
	lines := map[string][2][]string{
		"compose":    {compose.Services["coordinator"].Command, compose.Services["agent-1"].Command},
		"kubernetes": {arguments(coordinator), arguments(agent)},
	}
	for name, pair := range lines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := map[string][]string{
				"compose":    {"VARIABLES=" + variables(compose.Services["coordinator"], compose.Services["agent-1"])},
				"kubernetes": {"SECRETS=" + mounted(t, coordinator) + " " + mounted(t, agent), "COMMANDS=" + documented(t), "ENDS=75"},
			}[name]
			args := slices.Concat([]string{image, t.TempDir(), user, entry}, pair[0], []string{"--"}, pair[1])
			t.Log(within(t, "run.sh", env, args...))
		})
	}
}

// variables returns the environment of services, as NAME=VALUE with spaces between.
func variables(services ...types.ServiceConfig) string {
	var all []string
	for _, s := range services {
		for name, value := range s.Environment {
			all = append(all, name+"="+*value)
		}
	}
	return strings.Join(all, " ")
}

// Images of others are pinned by digest, so that a tag that moves changes nothing; the base has the Go that go.mod asks for.
func TestImagesArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[a-z/]+:v?([0-9.]+)[a-z-]*@sha256:[0-9a-f]{64}$`)
	base := pinned.FindStringSubmatch(stages(t)[0].BaseName)
	require.NotNil(t, base, stages(t)[0].BaseName)
	need := strings.TrimSpace(succeed(t, root, nil, "go", "list", "-m", "-f", "{{.GoVersion}}"))
	require.GreaterOrEqual(t, goversion.Compare("go"+base[1], "go"+need), 0, "the base has Go %s, go.mod asks for %s", base[1], need)
	for name, s := range project(t).Services {
		if !strings.HasPrefix(s.Image, "benchd:") {
			require.Regexp(t, pinned, s.Image, name)
		}
	}
}

// arguments puts the values of a pod into the arguments of its container, as the kubelet does.
func arguments(pod core.PodSpec) []string {
	of := map[string]string{
		"metadata.name": "benchd-coordinator-0", "spec.nodeName": "node-1", "metadata.annotations['batch.kubernetes.io/job-completion-index']": "0",
	}
	box := pod.Containers[0]
	var pairs []string
	for _, variable := range box.Env {
		pairs = append(pairs, "$("+variable.Name+")", of[variable.ValueFrom.FieldRef.FieldPath])
	}
	filled := make([]string, len(box.Args))
	for i, a := range box.Args {
		filled[i] = strings.NewReplacer(pairs...).Replace(a)
	}
	return filled
}

// mounted returns the Secret that a pod mounts at /etc/benchd/tls.
func mounted(t *testing.T, pod core.PodSpec) string {
	t.Helper()
	for _, m := range pod.Containers[0].VolumeMounts {
		for _, v := range pod.Volumes {
			if m.MountPath == "/etc/benchd/tls" && v.Name == m.Name && v.Secret != nil {
				return v.Secret.SecretName
			}
		}
	}
	require.Fail(t, "no Secret is mounted at /etc/benchd/tls")
	return ""
}

// documented writes the commands for certificates and Secrets, as docs/kubernetes.md has them, into a file.
func documented(t *testing.T) string {
	t.Helper()
	_, section, found := strings.Cut(read(t, filepath.Join(root, "docs/kubernetes.md")), "\n## Certificates\n")
	require.True(t, found)
	_, section, found = strings.Cut(section, "\n```\n")
	require.True(t, found)
	commands, _, found := strings.Cut(section, "\n```\n")
	require.True(t, found)
	path := filepath.Join(t.TempDir(), "commands")
	require.NoError(t, os.WriteFile(path, []byte(commands+"\n"), 0o600))
	return path
}

// contains checks that the image has exactly the expected files.
func contains(t *testing.T, image string) {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(image, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, strings.TrimPrefix(path, image))
		}
		return err
	}))
	const authorities = "/etc/ssl/certs/ca-certificates.crt"
	require.ElementsMatch(t, []string{"/usr/local/bin/benchd", "/usr/local/bin/benchctl", "/etc/passwd", "/etc/group", authorities}, files)
	require.True(t, x509.NewCertPool().AppendCertsFromPEM([]byte(read(t, filepath.Join(image, authorities)))), "certificates of authorities")
	require.Equal(t, "0:0 644\n", succeed(t, "", nil, "stat", "--format=%u:%g %a", filepath.Join(image, authorities)))
	for _, p := range []string{"benchd", "benchctl"} {
		path := filepath.Join(image, "usr/local/bin", p)
		static(t, path)
		require.Contains(t, succeed(t, "", nil, path, "--version"), version+"+0123456789ab")
	}
	require.Equal(t, "65532:65532 700\n", succeed(t, "", nil, "stat", "--format=%u:%g %a", filepath.Join(image, "var/lib/benchd")))
	require.Equal(t, "0:0 1777\n", succeed(t, "", nil, "stat", "--format=%u:%g %a", filepath.Join(image, "tmp")))
}
