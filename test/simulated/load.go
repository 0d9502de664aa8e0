package simulated

import (
	"math"
	"math/rand/v2"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/wire"
)

// The windows of an agent.
const (
	Interval    = time.Second
	Samples     = 500 // of a series in a window
	OpsOfWindow = Samples * 5
	variants    = 64
)

// Load is the data that simulated agents send: the series of several windows, encoded beforehand.
type Load struct {
	series  [variants][]latency.Series
	encoded [variants][]*benchdv1.Series
}

// NewLoad makes series as an open loop has them: response times somewhat above service times.
func NewLoad() *Load {
	l := new(Load)
	rng := rand.New(rand.NewPCG(1, 2))
	for v := range variants {
		for i, op := range [...]string{"READ", "UPDATE", "INSERT", "SCAN", "DELETE"} {
			response, service := new(latency.Histogram), new(latency.Histogram)
			for range Samples {
				ns := int64(float64(400_000*(i+1)) * math.Exp(0.5*rng.NormFloat64()))
				service.Record(ns)
				response.Record(ns + int64(50_000*rng.ExpFloat64()))
			}
			s := latency.Series{Key: latency.Key{Op: op, Outcome: "OK"}, Response: response, Service: service}
			l.series[v] = append(l.series[v], s)
			l.encoded[v] = append(l.encoded[v], wire.FromSeries(s))
		}
	}
	return l
}

// variant returns the index of the series of a shard's window.
func variant(shard, seq int) int { return (shard*7 + seq) % variants }

func (l *Load) window(id *benchdv1.ShardId, phase string, seq int, last bool) *benchdv1.Window {
	done := uint64(seq+1) * OpsOfWindow
	return &benchdv1.Window{
		Id: id, Phase: phase, Seq: uint32(seq), StartNs: int64(seq) * int64(Interval), EndNs: int64(seq+1) * int64(Interval),
		Last: last, Series: l.encoded[variant(int(id.GetShard()), seq)], Rows: OpsOfWindow, Bytes: 1000 * OpsOfWindow,
		Issued: done, Recorded: done,
		Health: &benchdv1.Health{
			Cores: 16, HostIdle: 0.75 + 0.001*float64(seq%100), OwnCpu: 2.125, NetRx: 2_500_123, NetTx: 300_456, GcPauses: 3,
			GcPauseTotalNs: 90_123, GcPauseMaxNs: 40_012, SchedLagP99Ns: 20_480, SchedLagMaxNs: 80_123,
		},
	}
}

// Expected merges the series of a number of agents with a number of windows each.
func (l *Load) Expected(agents, windows int) ([]latency.Series, error) {
	var used [variants]int
	for shard := range agents {
		for seq := range windows {
			used[variant(shard, seq)]++
		}
	}
	var all latency.Merged
	for v, n := range used {
		for range n {
			if err := all.Add(l.series[v]); err != nil {
				return nil, err
			}
		}
	}
	return all.Series(), nil
}
