package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/tolerance"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"benchd": main})
}

// TestScripts runs the command lines of testdata. Beside the usual commands these have:
//
//	exits N CMD…          run a command, which must end with exit code N, such as 0, or 0|1
//	ports VAR…            find free ports and put their addresses into variables
//	fetch URL TEXT        wait until an URL answers with the text
func TestScripts(t *testing.T) {
	ctx := t.Context()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector makes a process that succeeds sleep for a second
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
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
			"ports": func(ts *testscript.TestScript, _ bool, args []string) {
				for _, name := range args {
					address, err := freeport.Address()
					ts.Check(err)
					ts.Setenv(name, address)
				}
			},
			"fetch": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(fetch(ctx, args[0], args[1]))
			},
		},
	})
}

// fetch waits until url answers with a text.
func fetch(ctx context.Context, url, text string) error {
	ctx, cancel := context.WithTimeout(ctx, tolerance.Patience)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for seen := ""; ; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil && strings.Contains(string(body), text) {
				return nil
			}
			seen = string(body)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not have %q, but %q", url, text, seen)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
