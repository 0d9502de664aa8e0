//go:build integration

package crash

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/test/testcluster"
)

// periodOfSchedule is the time between two due times. A coordinator starts in less.
const periodOfSchedule = 2 * time.Second

// The coordinator is killed about the due times of a schedule, and is down for up to two of them. Each due time has one suite, or it was skipped
// or missed.
func TestACoordinatorThatIsKilledSubmitsADueSuiteOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "often.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`suite: often
properties: {db: "null", recordcount: 100, duration: 200ms, interval: 100ms}
schedule: {every: 2s}
scenarios: [{name: reads}]
`), 0o600))
	h := testcluster.New(t)
	h.Agents("a")
	_, stderr, code := h.Ctl("submit", "-f", file)
	require.Zero(t, code, stderr)
	s := scheduled{t: t, h: h, outcomes: make(map[time.Time]schedule.Outcome)}
	s.read()
	first := *s.document.Next

	for range min(kills(t, 8), 40) {
		<-time.After(time.Until(s.document.Next.Add(time.Duration(rand.IntN(150)-20) * time.Millisecond)))
		h.Coordinator.Signal(syscall.SIGKILL)
		require.Equal(t, -1, h.Coordinator.Exit(testcluster.Patience), "it was killed")
		<-time.After(time.Duration(rand.Int64N(int64(2 * periodOfSchedule))))
		h.Open()
		s.read()
	}
	before := len(s.outcomes)
	testcluster.Eventually(t, testcluster.Patience, func() bool { s.read(); return len(s.outcomes) >= before+3 }, "it goes on")
	_, stderr, code = h.Ctl("schedule", "pause", "often")
	require.Zero(t, code, stderr)
	testcluster.Eventually(t, testcluster.Patience, func() bool { s.read(); return s.settled() }, "the last suite is decided about")

	next, owed, missed, submitted := first, 0, 0, map[string]bool{}
	for _, due := range slices.SortedFunc(maps.Keys(s.outcomes), time.Time.Compare) {
		o := s.outcomes[due]
		missed += o.Missed
		gap := int(due.Sub(next) / periodOfSchedule) // due times that this outcome counts, or a later one: what is skipped while a suite waits for agents is known before it
		require.GreaterOrEqual(t, gap+owed, o.Missed, "a due time is counted twice: %+v", o)
		owed += gap - o.Missed
		next = due.Add(periodOfSchedule)
		if o.Kind == schedule.Submitted {
			require.False(t, submitted[o.Suite], "two due times have suite %s", o.Suite)
			submitted[o.Suite] = true
		}
	}
	require.Zero(t, owed, "due times of which nothing is known")
	require.Equal(t, submitted, s.suites(), "each suite is that of a due time")
	t.Logf("%d due times: %d submitted, %d missed, the others skipped", len(s.outcomes)+missed, len(submitted), missed)
}

// scheduled collects what became of the due times of a schedule, which keeps only the newest.
type scheduled struct {
	t        *testing.T
	h        *testcluster.Cluster
	document schedule.Document
	outcomes map[time.Time]schedule.Outcome
}

func (s *scheduled) read() {
	stdout, stderr, code := s.h.Ctl("schedule", "show", "often", "-o", "json")
	require.Zero(s.t, code, stderr)
	s.document = schedule.Document{}
	require.NoError(s.t, json.Unmarshal([]byte(stdout), &s.document))
	for _, o := range s.document.Outcomes {
		if known, is := s.outcomes[o.Due]; is {
			require.Equal(s.t, known, o, "what became of a due time does not change")
		}
		s.outcomes[o.Due] = o
	}
}

// suites returns the ids of all suites of the archive.
func (s *scheduled) suites() map[string]bool {
	stdout, stderr, code := s.h.Ctl("list", "-o", "json")
	require.Zero(s.t, code, stderr)
	var list []remote.Suite
	require.NoError(s.t, json.Unmarshal([]byte(stdout), &list))
	ids := make(map[string]bool)
	for _, one := range list {
		ids[one.ID] = true
	}
	return ids
}

// settled reports whether the schedule is paused, and has an outcome for each suite.
func (s *scheduled) settled() bool {
	submitted := 0
	for _, o := range s.outcomes {
		if o.Kind == schedule.Submitted {
			submitted++
		}
	}
	return s.document.Paused && len(s.suites()) == submitted
}
