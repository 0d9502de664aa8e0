//go:build integration

package fleet

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/stats"
)

const (
	// tlsCost bounds the cores that TLS costs a coordinator.
	tlsCost = 0.05
	// startSkew bounds the time between the starts of agents.
	startSkew = 5 * time.Millisecond
)

// TestTLSCostsLittle compares runs in plain text and with TLS in pairs, of which every other one begins with TLS: what disturbs the machine
// for longer than a run disturbs both. It compares CPU times of the coordinator for windows, while all agents send some. Handshakes are before
// that, and are printed apart.
func TestTLSCostsLittle(t *testing.T) {
	l := newLoad()
	var plain, secured, extra []float64
	var handshakes time.Duration
	for pair := range chosen.pairs {
		var both [2]figures
		for turn := range both {
			i := (pair + turn) % 2
			way := [...]string{"plain text", "TLS"}[i]
			t.Run(fmt.Sprintf("pair %d, %s", pair+1, way), func(t *testing.T) {
				p := inPlainText()
				if i == 1 {
					p = byTLS(t)
				}
				both[i] = fleet(t, p, l, chosen.agents, chosen.seconds)
				t.Logf("  %.4f cores; connecting took %s of CPU; the start has a skew of %s, and the result reports %s",
					both[i].work, both[i].connecting, both[i].skew, both[i].reported)
				if chosen.limits {
					require.Less(t, both[i].skew, startSkew, "skew of the start")
					require.Less(t, both[i].reported, startSkew, "skew of the start in the result")
				}
			})
		}
		plain, secured = append(plain, both[0].work), append(secured, both[1].work)
		extra = append(extra, both[1].work-both[0].work)
		handshakes += both[1].connecting - both[0].connecting
	}
	t.Logf("%d agents, cores in plain text %.4f, with TLS %.4f; differences %.4f", chosen.agents, plain, secured, extra)
	t.Logf("a handshake takes %s of the coordinator's CPU", handshakes/time.Duration(chosen.pairs*chosen.agents))
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
