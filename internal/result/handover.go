package result

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/plan"
)

// Handover is a time in which a shard had no agent: from the end of the lost agent's last window to the start of its
// successor's part.
type Handover struct {
	Shard   int     `json:"shard"`
	From    string  `json:"from"` // the agent that was lost
	To      string  `json:"to"`   // the agent that continued
	T       float64 `json:"t"`
	Seconds float64 `json:"seconds"`
	// Skipped is how many operations an open loop intended for the shard meanwhile. They were never sent, and are in
	// neither the offered rate nor the backlog.
	Skipped uint64 `json:"skipped,omitempty"`
}

// handovers are the handovers of a phase, shard by shard. A shard that no other agent continued is missing instead.
func (b *Builder) handovers(p *phase) []Handover {
	if p.info.Name != string(plan.Load) {
		return nil
	}
	var out []Handover
	var until time.Duration // the end of what earlier attempts covered
	before := ShardInfo{Index: -1}
	for _, info := range b.shards() {
		if info.Index != before.Index {
			until = 0
		}
		e := p.ledger[shardID{info.Index, info.Attempt}]
		if e == nil || e.newest < 0 {
			if info.Index != before.Index {
				before = info
			}
			continue
		}
		if info.Attempt > 1 && info.Index == before.Index && e.start > until {
			h := Handover{Shard: info.Index, From: before.Agent, To: info.Agent, T: until.Seconds(), Seconds: (e.start - until).Seconds()}
			if p.info.Intended != nil {
				h.Skipped = uint64(math.Round((p.info.Intended(e.start) - p.info.Intended(until)) / float64(b.shardCount())))
			}
			out = append(out, h)
		}
		before, until = info, max(until, e.until)
	}
	return out
}

// idleShards reports for how long shards of a phase had no agent: its throughput is that of fewer agents than it has.
func (b *Builder) idleShards() *Verdict {
	const most = 0.01
	v := Verdict{Name: "idle_shards", Test: fmt.Sprintf("shards of a phase without an agent for more than %s of its time, over all shards", percentText(most))}
	var because []string
	for _, p := range b.evaluated() {
		handovers := b.handovers(p)
		if len(handovers) == 0 || p.end <= 0 {
			continue
		}
		var idle float64
		var skipped uint64
		var named []string
		for _, h := range handovers {
			idle += h.Seconds
			skipped += h.Skipped
			named = append(named, handoverText(h))
		}
		share := idle / (p.end.Seconds() * float64(b.shardCount()))
		v.Value = v.Value || share > most
		if n := len(named); n > maxGaps {
			named = append(named[:maxGaps:maxGaps], fmt.Sprintf("and %d more times", n-maxGaps))
		}
		text := fmt.Sprintf("%s: %s; %s of the time of all shards", p.info.Name, strings.Join(named, ", "), percentText(share))
		if skipped > 0 {
			text += fmt.Sprintf(", in which %s intended operations were skipped", Thousands(skipped))
		}
		because = append(because, text)
	}
	if len(because) == 0 {
		return nil
	}
	v.Because = strings.Join(because, "; ")
	return &v
}

// handoverText names a time without an agent.
func handoverText(h Handover) string {
	who := "between agents " + h.From + " and " + h.To
	if h.From == h.To {
		who = "until agent " + h.To + " was back"
	}
	at := func(seconds float64) string { return secondsText(time.Duration(seconds * float64(time.Second))) }
	return fmt.Sprintf("shard %d had no agent from %s to %s (%s)", h.Shard, at(h.T), at(h.T+h.Seconds), who)
}
