package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

func TestMissing(t *testing.T) {
	whole := result.ShardPhase{Agent: "a", Phase: "measure", Planned: time.Minute, Begun: true, Ended: true, Until: time.Minute}
	change := func(f func(p *result.ShardPhase)) result.ShardPhase {
		p := whole
		p.Agent = "b"
		f(&p)
		return p
	}
	for _, tc := range []struct {
		name string
		part result.ShardPhase
		want string
	}{
		{"windows in the middle", change(func(p *result.ShardPhase) {
			p.Gaps = []result.Range{{First: 14, Last: 20}}
		}), "agent b: windows 14–20"},
		{"one window", change(func(p *result.ShardPhase) {
			p.Gaps = []result.Range{{First: 3, Last: 3}}
		}), "agent b: window 3"},
		{"several gaps", change(func(p *result.ShardPhase) {
			p.Gaps = []result.Range{{First: 3, Last: 3}, {First: 5, Last: 9}}
		}), "agent b: windows 3, 5–9"},
		{"very many gaps", change(func(p *result.ShardPhase) {
			for i := range 8 {
				p.Gaps = append(p.Gaps, result.Range{First: 10 * i, Last: 10*i + 1})
			}
		}), "agent b: windows 0–1, 10–11, 20–21, 30–31, 40–41 and 6 more"},
		{"lost", change(func(p *result.ShardPhase) {
			p.Ended, p.Lost, p.LostAt = false, true, 12345*time.Millisecond
		}), "agent b: lost at 12.3 s of 60 s"},
		{"lost, and why, in a phase without a planned length", change(func(p *result.ShardPhase) {
			p.Ended, p.Lost, p.LostAt, p.Planned, p.Why = false, true, 12*time.Second, 0, "left"
		}), "agent b: lost at 12 s: left"},
		{"lost before", change(func(p *result.ShardPhase) {
			p.Begun, p.Ended, p.Lost, p.Between = false, false, true, true
		}), "agent b: lost before measure"},
		{"silent", change(func(p *result.ShardPhase) {
			p.Ended, p.Until = false, 31*time.Second
		}), "agent b: nothing after 31 s of 60 s"},
		{"never heard of", change(func(p *result.ShardPhase) {
			p.Begun, p.Ended = false, false
		}), "agent b: nothing of measure"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, []string{tc.want}, result.Missing([]result.ShardPhase{whole, tc.part}))
		})
	}
	t.Run("the phase is named where there are several", func(t *testing.T) {
		load := change(func(p *result.ShardPhase) { p.Phase, p.Gaps = "load", []result.Range{{First: 1, Last: 2}} })
		gone := change(func(p *result.ShardPhase) { p.Ended = false })
		require.Equal(t,
			[]string{"agent b: windows 1–2 of load", "agent b: nothing after 60 s of 60 s in measure"},
			result.Missing([]result.ShardPhase{load, gone}))
	})
	t.Run("nothing", func(t *testing.T) {
		require.Equal(t, []string{}, result.Missing([]result.ShardPhase{whole}))
		require.Equal(t, []string{}, result.Missing(nil))
	})
}

// What is missing is found from the windows and from what agents told of their ends.
func TestDocumentNamesWhatIsMissing(t *testing.T) {
	full := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	type told struct {
		have    []int
		last    bool
		windows int // that the agent told of
	}
	for _, tc := range []struct {
		name   string
		shards []told
		want   []string
	}{
		{"nothing", []told{{full(5), true, 5}, {full(5), true, 0}}, []string{}},
		{"a gap", []told{{full(5), true, 5}, {[]int{0, 1, 3, 4}, true, 5}}, []string{"agent b: window 2"}},
		{"the end", []told{{full(5), true, 5}, {[]int{0, 1, 2}, false, 5}}, []string{"agent b: windows 3–4"}},
		{
			"the end, unknown",
			[]told{{full(5), true, 5}, {[]int{0, 2}, false, 0}},
			[]string{"agent b: window 1", "agent b: nothing after 3 s of 60 s"},
		},
		{"all", []told{{full(5), true, 5}, {nil, false, 0}}, []string{"agent b: nothing of measure"}},
		{"all, and the agent told", []told{{full(5), true, 5}, {nil, false, 5}}, []string{"agent b: windows 0–4"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := result.NewBuilder(config(len(tc.shards)))
			for i, s := range tc.shards {
				for _, seq := range s.have {
					ws := of("measure", i)
					ws.seq = seq
					w := ws.next(series("READ", "OK", 1))
					w.Last = s.last && seq == s.have[len(s.have)-1]
					add(t, b, w)
				}
				if s.windows > 0 {
					b.Ended(result.PhaseEnd{Shard: i, Attempt: 1, Phase: "measure", Windows: s.windows})
				}
			}
			require.Equal(t, tc.want, document(t, b).Missing)
		})
	}
	t.Run("an agent that was lost misses no later phase", func(t *testing.T) {
		cfg := config(2)
		cfg.Phases = []result.PhaseInfo{{Name: "load"}, {Name: "measure"}, {Name: "teardown"}}
		b := result.NewBuilder(cfg)
		add(t, b, of("load", 0).last(series("INSERT", "OK", 1)), of("measure", 0).last(series("READ", "OK", 1)))
		add(t, b, of("load", 1).next(series("INSERT", "OK", 1)))
		b.Lost(result.Loss{Shard: 1, Attempt: 1, Phase: "load", At: 1500 * time.Millisecond})
		require.Equal(t, []string{"agent b: lost at 1.5 s in load"}, document(t, b).Missing)
	})
	t.Run("lost between phases", func(t *testing.T) {
		cfg := config(2)
		cfg.Phases = []result.PhaseInfo{{Name: "load"}, {Name: "measure"}}
		b := result.NewBuilder(cfg)
		add(t, b, of("load", 0).last(series("INSERT", "OK", 1)), of("load", 1).last(series("INSERT", "OK", 1)))
		add(t, b, of("measure", 0).last(series("READ", "OK", 1)))
		b.Lost(result.Loss{Shard: 1, Attempt: 1, Phase: "measure", At: -1, Why: "killed"})
		require.Equal(t, []string{"agent b: lost before measure: killed"}, document(t, b).Missing)
	})
}
