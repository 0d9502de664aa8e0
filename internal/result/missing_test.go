package result_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/latency"
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
		}), "agent b: no window of measure"},
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

// What is missing follows from the windows and from the agents' reports of their ends.
func TestDocumentNamesWhatIsMissing(t *testing.T) {
	full := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	type report struct {
		have    []int
		last    bool
		windows int // that the agent reported
	}
	for _, tc := range []struct {
		name   string
		shards []report
		want   []string
	}{
		{"nothing", []report{{full(5), true, 5}, {full(5), true, 0}}, []string{}},
		{"a gap", []report{{full(5), true, 5}, {[]int{0, 1, 3, 4}, true, 5}}, []string{"agent b: window 2"}},
		{"the end", []report{{full(5), true, 5}, {[]int{0, 1, 2}, false, 5}}, []string{"agent b: windows 3–4"}},
		{
			"the end, unknown",
			[]report{{full(5), true, 5}, {[]int{0, 2}, false, 0}},
			[]string{"agent b: window 1", "agent b: nothing after 3 s of 60 s"},
		},
		{"all", []report{{full(5), true, 5}, {nil, false, 0}}, []string{"agent b: no window of measure"}},
		{"all, with a report from the agent", []report{{full(5), true, 5}, {nil, false, 5}}, []string{"agent b: windows 0–4"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := config(len(tc.shards))
			cfg.Phases[0].PlannedOps = 1000 // they may end it before its time
			b := result.NewBuilder(cfg)
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

// Windows with consecutive numbers can still leave a time uncovered: their agent joined late, or stalled.
func TestDocumentNamesTheTimeThatNoWindowCovers(t *testing.T) {
	const s = time.Second
	type span struct{ from, to time.Duration }
	minute := []span{{0, 20 * s}, {20 * s, 40 * s}, {40 * s, 60 * s}}
	late := []span{{12300 * time.Millisecond, 13 * s}, {13 * s, 40 * s}, {40 * s, 60 * s}}
	for _, tc := range []struct {
		name   string
		change func(cfg *result.BuilderConfig)
		spans  []span
		tail   bool
		seqs   []int // of spans; 0, 1 … where nil
		want   []string
	}{
		{name: "nothing", spans: minute},
		{name: "a tail after the end", spans: append(slices.Clone(minute), span{60 * s, 61 * s}), tail: true},
		{name: "the beginning", spans: late, want: []string{"agent b: no window of the first 12.3 s of 60 s"}},
		{name: "less than a second", spans: []span{{40 * time.Millisecond, s}, {s, 60 * s}}, want: []string{"agent b: no window of the first 40 ms of 60 s"}},
		{
			name: "all but the tail", spans: []span{{60 * s, 61 * s}}, tail: true,
			want: []string{"agent b: no window of the first 60 s of 60 s"},
		},
		{
			name: "times in between", spans: []span{{0, 10 * s}, {10 * s, 20 * s}, {23500 * time.Millisecond, 40 * s}, {41 * s, 60 * s}},
			want: []string{"agent b: no window from 20 s to 23.5 s, from 40 s to 41 s (4.5 s of 60 s)"},
		},
		{
			name: "what a missing window covered is named once", spans: []span{{0, 10 * s}, {20 * s, 30 * s}, {32 * s, 60 * s}}, seqs: []int{0, 2, 3},
			want: []string{"agent b: window 1", "agent b: no window from 30 s to 32 s (2 s of 60 s)"},
		},
		{name: "the end", spans: minute[:2], want: []string{"agent b: ended at 40 s of 60 s"}},
		{
			name: "the end of a phase that operations end, too", spans: minute[:2],
			change: func(cfg *result.BuilderConfig) { cfg.Phases[0].PlannedOps = 1000 },
		},
		{
			name: "of a phase of several", spans: late,
			change: func(cfg *result.BuilderConfig) {
				cfg.Phases = append([]result.PhaseInfo{{Name: "warmup"}}, cfg.Phases...)
			},
			want: []string{"agent b: no window of warmup", "agent b: no window of the first 12.3 s of 60 s in measure"},
		},
		{
			name: "a successor begins where it can", spans: late,
			change: func(cfg *result.BuilderConfig) {
				cfg.Shards[1].Attempt, cfg.Shards[1].GoesOn = 2, true
				cfg.Shards = append(cfg.Shards, result.ShardInfo{Index: 1, Attempt: 1, Agent: "c"})
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := config(2)
			if tc.change != nil {
				tc.change(&cfg)
			}
			b := result.NewBuilder(cfg)
			if len(cfg.Phases) > 1 {
				add(t, b, of("warmup", 0).last(series("READ", "OK", 1)))
			}
			whole := of("measure", 0).last(series("READ", "OK", 1))
			whole.End = 60 * s
			add(t, b, whole)
			var all []*latency.Window
			for i, span := range tc.spans {
				w := of("measure", 1).next(series("READ", "OK", 1))
				w.ID.Seq, w.ID.Attempt, w.Start, w.End = i, cfg.Shards[1].Attempt, span.from, span.to
				if tc.seqs != nil {
					w.ID.Seq = tc.seqs[i]
				}
				w.Last = i == len(tc.spans)-1
				w.Tail = w.Last && tc.tail
				all = append(all, w)
			}
			rand.New(rand.NewPCG(7, uint64(len(all)))).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			add(t, b, all...)
			want := tc.want
			if want == nil {
				want = []string{}
			}
			require.Equal(t, want, document(t, b).Missing)
		})
	}
}
