//go:build integration

package fleet

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
	"github.com/benchd/benchd/test/simulated"
)

const (
	// tlsCost bounds the cores that TLS costs a coordinator.
	tlsCost = 0.05
	// startSkew bounds the time between the starts of agents.
	startSkew = 5 * time.Millisecond
	// stalled is the time from a window's end until it was safe beyond which a run does not count: then the machine or its disk stalls.
	stalled = 5 * time.Second
)

// TestTLSCostsLittle compares runs in plain text and with TLS in pairs, of which every other one begins with TLS: what disturbs the machine
// for longer than a run disturbs both. It compares CPU times of the coordinator for windows, while all agents send some. Handshakes are before
// that, and are printed apart.
func TestTLSCostsLittle(t *testing.T) {
	l := simulated.NewLoad()
	var plain, secured, extra []float64
	var handshakes time.Duration
	for tries := 1; len(extra) < chosen.pairs; tries++ {
		require.LessOrEqual(t, tries, 2*chosen.pairs, "the machine stalls in half of the pairs: it is too busy")
		both := pair(t, l, tries)
		if chosen.limits && max(both[0].latest, both[1].latest) > stalled {
			t.Logf("the machine stalled: this pair does not count")
			continue
		}
		for _, f := range both {
			if chosen.limits {
				require.Less(t, f.skew, startSkew, "skew of the start")
				require.Less(t, f.reported, startSkew, "skew of the start in the result")
			}
		}
		plain, secured = append(plain, both[0].work), append(secured, both[1].work)
		extra = append(extra, both[1].work-both[0].work)
		handshakes += both[1].connecting - both[0].connecting
	}
	t.Logf("%d agents, cores in plain text %.4f, with TLS %.4f; differences %.4f", chosen.agents, plain, secured, extra)
	t.Logf("a connection with TLS takes %s more of the coordinator's CPU", handshakes/time.Duration(chosen.pairs*chosen.agents))
	if len(extra) < 2 {
		return
	}
	s := stats.Repeats(extra)
	t.Logf("TLS takes %.4f cores; by Student's t of the differences the 95 %% interval is %.4f to %.4f", *s.Mean, *s.Low, *s.High)
	if chosen.limits {
		require.GreaterOrEqual(t, len(extra), 6, "pairs")
		require.Less(t, *s.High, tlsCost, "upper bound of the cores that TLS takes")
	}
}

// pair makes a run in plain text and one with TLS.
func pair(t *testing.T, l *simulated.Load, number int) (both [2]figures) {
	t.Helper()
	for turn := range both {
		i := (number + turn) % 2
		way := [...]string{"plain text", "TLS"}[i]
		require.True(t, t.Run(fmt.Sprintf("pair %d, %s", number, way), func(t *testing.T) {
			p := inPlainText()
			if i == 1 {
				p = byTLS(t)
			}
			both[i] = fleet(t, p, l, chosen.agents, chosen.seconds)
			t.Logf("  %.4f cores; connecting took %s of CPU; the start has a skew of %s, and the result reports %s",
				both[i].work, both[i].connecting, both[i].skew, both[i].reported)
		}))
	}
	return both
}
