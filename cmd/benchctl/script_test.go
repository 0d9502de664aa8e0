package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/benchd/benchd/internal/dev"
	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/pki"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"benchctl": main})
}

// testCluster is a coordinator with agents in this process, which benchctl uses like remote ones.
type testCluster struct {
	cluster *dev.Cluster
	client  *remote.Client
	address string
}

func openTestCluster(ctx context.Context, agents int, dir string) (*testCluster, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	cluster, err := dev.Start(ctx, dev.Config{Agents: agents, DataDir: dir, Listener: l, Version: "test"})
	if err != nil {
		return nil, err
	}
	h := &testCluster{cluster: cluster, client: remote.New(cluster.Conn(), nil, "the test"), address: l.Addr().String()}
	err = await(ctx, func(ctx context.Context) (bool, error) {
		there, err := h.client.Agents(ctx)
		return len(there) == agents, err
	})
	return h, err
}

// await waits until ready returns true.
func await(ctx context.Context, ask func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, tolerance.Patience)
	defer cancel()
	for {
		if yes, err := ask(ctx); yes || err != nil {
			return err
		}
		<-time.After(10 * time.Millisecond)
	}
}

// running waits until a suite runs, and returns its id.
func (h *testCluster) running(ctx context.Context) (id string, err error) {
	err = await(ctx, func(ctx context.Context) (bool, error) {
		suites, err := h.client.List(ctx)
		for _, s := range suites {
			if s.Status == result.Running {
				id = s.ID
			}
		}
		return id != "", err
	})
	return id, err
}

// TestScripts runs the command lines of testdata. Beside the usual commands these have:
//
//	cluster N        start a coordinator with N agents, for the rest of the script
//	secured          start a coordinator with TLS at $ADDRESS, with an agent, and one without TLS at $PLAIN; nobody listens at $NOWHERE; the
//	                 folders anna (operator), victor (viewer), admin, agent and stranger (of another authority) have certificates
//	sandbox          start a sandbox for the rest of the script; nobody listens at $NOWHERE
//	waitfor PATTERN CMD…  run a command until its output matches
//	exits N CMD…     run a command, which must end with exit code N, such as 0, or 0|1
//	running VAR      wait until a suite runs, and put its id into a variable
//	save VAR         put the standard output into a variable
//	documented CMD…  check that the standard output is the JSON that docs/json.md describes for a command
//	json PATH WANT   compare a value of the printed JSON, such as .phases.0.ops
func TestScripts(t *testing.T) {
	ctx := t.Context()
	var clusters sync.Map // of each script that has one
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector makes a process that succeeds sleep for a second
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"cluster": func(ts *testscript.TestScript, _ bool, args []string) {
				agents, err := strconv.Atoi(args[0])
				ts.Check(err)
				h, err := openTestCluster(ctx, agents, ts.MkAbs("archive"))
				ts.Check(err)
				ts.Defer(func() { ts.Check(h.cluster.Close()) })
				clusters.Store(ts, h)
				ts.Setenv("BENCHCTL_COORDINATOR", h.address)
			},
			"secured": func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Check(startSecured(ctx, ts))
			},
			"sandbox": func(ts *testscript.TestScript, _ bool, _ []string) {
				s, err := sandbox.Start(ctx, sandbox.Options{Detection: time.Millisecond})
				ts.Check(err)
				ts.Defer(func() { ts.Check(s.Close()) })
				ts.Setenv("BENCHCTL_SANDBOX", s.Info())
				nowhere, err := freeport.Address()
				ts.Check(err)
				ts.Setenv("NOWHERE", nowhere)
			},
			"waitfor": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(await(ctx, func(context.Context) (bool, error) {
					err := ts.Exec(args[1], args[2:]...)
					return regexp.MustCompile(args[0]).MatchString(ts.ReadFile("stdout")), err
				}))
			},
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				got := 0
				if err := ts.Exec(args[1], args[2:]...); err != nil {
					exit, ok := errors.AsType[*exec.ExitError](err)
					if !ok {
						ts.Fatalf("%v", err)
					}
					got = exit.ExitCode()
				}
				if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got)) {
					ts.Fatalf("exit code %d, want %s", got, args[0])
				}
			},
			"running": func(ts *testscript.TestScript, _ bool, args []string) {
				h, ok := clusters.Load(ts)
				if !ok {
					ts.Fatalf("there is no cluster")
				}
				id, err := h.(*testCluster).running(ctx)
				ts.Check(err)
				ts.Setenv(args[0], id)
			},
			"save": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
			},
			"documented": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(requireDocumented(strings.Join(args, " "), ts.ReadFile("stdout")))
			},
			"json": func(ts *testscript.TestScript, _ bool, args []string) {
				got, err := pick(ts.ReadFile("stdout"), args[0])
				ts.Check(err)
				if got != args[1] {
					ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
				}
			},
		},
	})
}

// startSecured starts the coordinators of a script about TLS, and writes certificates of users.
func startSecured(ctx context.Context, ts *testscript.TestScript) error {
	secured, err := startOne(ctx, ts, "ADDRESS", true)
	if err != nil {
		return err
	}
	if _, err := startOne(ctx, ts, "PLAIN", false); err != nil {
		return err
	}
	nowhere, err := freeport.Address()
	if err != nil {
		return err
	}
	ts.Setenv("NOWHERE", nowhere)
	strangers, err := pki.Init(ts.MkAbs("strangers"), pki.InitOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		issue(ts, secured.Authority(), "anna", identity.Identity{Role: identity.Operator, Name: "anna"}, 0),
		issue(ts, secured.Authority(), "victor", identity.Identity{Role: identity.Viewer, Name: "victor"}, 10*24*time.Hour-time.Minute),
		issue(ts, secured.Authority(), "admin", identity.Identity{Role: identity.Admin, Name: "root"}, 0),
		issue(ts, secured.Authority(), "agent", identity.Identity{Role: identity.Agent, Name: "agent-1"}, 0),
		issue(ts, strangers, "stranger", identity.Identity{Role: identity.Operator, Name: "anna"}, 0),
	)
}

// startOne starts a coordinator with an agent for the rest of a script, and puts its address into a variable.
func startOne(ctx context.Context, ts *testscript.TestScript, variable string, secured bool) (*dev.Cluster, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ts.Setenv(variable, l.Addr().String())
	cluster, err := dev.Start(ctx, dev.Config{Agents: 1, Listener: l, Version: "test", Secured: secured})
	if err != nil {
		return nil, err
	}
	ts.Defer(func() { ts.Check(cluster.Close()) })
	client := remote.New(cluster.Conn(), nil, "the test")
	return cluster, await(ctx, func(ctx context.Context) (bool, error) {
		there, err := client.Agents(ctx)
		return len(there) == 1, err
	})
}

// issue writes a certificate into a folder of a script.
func issue(ts *testscript.TestScript, by *pki.Authority, folder string, id identity.Identity, life time.Duration) error {
	issued, err := by.Issue(id, pki.IssueOptions{Life: life})
	if err != nil {
		return err
	}
	dir := ts.MkAbs(folder)
	if err := pki.Prepare(dir, id); err != nil {
		return err
	}
	_, err = by.Save(dir, issued)
	return err
}

// pick returns the value at a path of a JSON text.
func pick(text, path string) (string, error) {
	var at any
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		return "", err
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		switch x := at.(type) {
		case map[string]any:
			at = x[part]
		case []any:
			if part == "length" {
				at = len(x)
				continue
			}
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(x) {
				return "", fmt.Errorf("no item %s in %d of %s", part, len(x), path)
			}
			at = x[i]
		default:
			return "", fmt.Errorf("no %s in %s", part, path)
		}
	}
	return fmt.Sprint(at), nil
}
