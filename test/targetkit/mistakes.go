package targetkit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// atMost bounds how long a run may take to refuse a mistake.
const atMost = 10 * time.Second

// Mistake is a wrong setting.
type Mistake struct {
	Name  string
	Flags []string // of the submission; they follow those of the Database
	Agent []string // of agents, in place of the Database's, if not nil
	Says  []string // texts of the error: the thing, the place and the cure
}

// Mistakes makes each mistake in a run of its own. The run must end with one error within 10 s, before any operation.
func Mistakes(t *testing.T, d Database, mistakes ...Mistake) {
	t.Helper()
	for _, m := range mistakes {
		t.Run(m.Name, func(t *testing.T) {
			own := d
			if m.Agent != nil {
				own.Agent = m.Agent
			}
			began := time.Now()
			args := slices.Concat([]string{"run", "--db", d.Target, "--duration", "30s", "-p", "recordcount=100", "-o", "json"}, own.Set, own.Agent, m.Flags)
			stdout, stderr, code := testcluster.Run(t, time.Minute, "benchctl", args...)
			took := time.Since(began)
			require.NotZero(t, code, stdout)
			t.Logf("after %.1f s: %s", took.Seconds(), strings.TrimSpace(stderr))
			require.Less(t, took, atMost, stderr)
			for _, says := range m.Says {
				require.Contains(t, stderr, says)
			}
			require.Equal(t, 1, strings.Count(strings.TrimSpace(stderr), "benchctl: "), "one error: %s", stderr)
			if strings.HasPrefix(strings.TrimSpace(stdout), "{") {
				for _, p := range testcluster.Parse(t, stdout).Phases {
					require.Zero(t, p.Ops, "nothing is measured")
				}
			}
		})
	}
}
