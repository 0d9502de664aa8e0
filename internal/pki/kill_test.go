package pki

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// enrollerEnv makes the test binary a process that enrolls agents in this directory until it is killed.
const enrollerEnv = "BENCHD_TEST_ENROLLER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(enrollerEnv); dir != "" {
		panic(enrollUntilKilled(dir)) // the parent sees it on our standard error
	}
	os.Exit(m.Run())
}

// enrollUntilKilled enrolls one agent after another. It prints "ask TOKEN REQUEST" before each, and "got HASH" after each.
func enrollUntilKilled(dir string) error {
	a, err := Open(dir)
	if err != nil {
		return err
	}
	used, err := OpenLedger(filepath.Join(dir, "joined.jsonl"), time.Now())
	if err != nil {
		return err
	}
	for {
		token, _, err := a.Enroller().Token("client-1", time.Hour)
		if err != nil {
			return err
		}
		key, err := NewKey()
		if err != nil {
			return err
		}
		der, err := Request("client-1", key)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(os.Stdout, "ask %s %s\n", token, base64.StdEncoding.EncodeToString(der)); err != nil {
			return err
		}
		chain, err := a.Enroller().Enroll(token, der, used)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(os.Stdout, "got %s\n", hash(chain)); err != nil {
			return err
		}
	}
}

type attempt struct {
	token   string
	request []byte
	got     string // the hash of the chain, if there was an answer
}

func TestUsesOfTokensSurviveKill(t *testing.T) {
	a, err := Init(filepath.Join(t.TempDir(), "pki"), InitOptions{})
	require.NoError(t, err)
	e := a.Enroller()
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	var all []attempt
	const kills = 20
	for range kills {
		all = append(all, killEnroller(t, a.Dir(), 1+random.IntN(6), time.Duration(random.Int64N(int64(3*time.Millisecond))))...)
		used, err := OpenLedger(filepath.Join(a.Dir(), "joined.jsonl"), time.Now())
		require.NoError(t, err)
		for i, one := range all {
			_, other := request(t, "client-1")
			if one.got != "" {
				_, err := e.Enroll(one.token, other, used)
				require.ErrorIs(t, err, ErrUsed, "a use that was answered is kept")
			}
			chain, err := e.Enroll(one.token, one.request, used)
			require.NoError(t, err, "the agent whose answer was lost gets it")
			if one.got != "" {
				require.Equal(t, one.got, hash(chain))
			}
			all[i].got = hash(chain)
		}
		require.NoError(t, used.Close())
	}
}

// killEnroller starts a process that enrolls, kills it some time after a number of answers, and returns its attempts.
func killEnroller(t *testing.T, dir string, after int, delay time.Duration) (attempts []attempt) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), enrollerEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	answers := 0
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		words := strings.Fields(line)
		if words[0] == "ask" {
			der, err := base64.StdEncoding.DecodeString(words[2])
			require.NoError(t, err)
			attempts = append(attempts, attempt{token: words[1], request: der})
			continue
		}
		attempts[len(attempts)-1].got = words[1]
		if answers++; answers == after {
			time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		}
	}
	require.ErrorContains(t, cmd.Wait(), "signal: killed")
	require.GreaterOrEqual(t, answers, after)
	return attempts
}
