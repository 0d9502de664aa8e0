package result

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ShardPhase is what is known about one shard's part of one phase.
type ShardPhase struct {
	Agent   string
	Phase   string
	Planned time.Duration // how long the phase was to be; 0 where operations end it

	Gaps    []Range       // numbers of windows that should have arrived and have not
	Begun   bool          // whether any window has arrived
	Ended   bool          // whether the last window has arrived, or the agent reported how many there are
	Until   time.Duration // the end of the newest window that has arrived
	Lost    bool          // whether the agent was lost in this phase
	LostAt  time.Duration // when, from the phase's start
	Why     string        // it was lost; may be empty
	Between bool          // whether the agent was lost before it began the phase

	Late  time.Duration // how much of the phase's beginning no window covers
	Holes []Stretch     // times between windows of adjacent numbers that no window covers
	Short bool          // whether the shard ended before the planned end of a phase that only time ends
}

// maxGaps is how many gaps are named one by one.
const maxGaps = 5

// Missing describes what a result lacks: one line for each shard's part of a phase that is incomplete, in the order
// given. The phase is named if there is more than one.
func Missing(parts []ShardPhase) []string {
	out := []string{}
	several := slices.ContainsFunc(parts, func(p ShardPhase) bool { return p.Phase != parts[0].Phase })
	for _, p := range parts {
		of, in := "", ""
		if several {
			of, in = " of "+p.Phase, " in "+p.Phase
		}
		if len(p.Gaps) > 0 {
			out = append(out, "agent "+p.Agent+": "+gapText(p.Gaps)+of)
		}
		if p.Late > 0 {
			out = append(out, "agent "+p.Agent+": no window of the first "+secondsText(p.Late)+planned(p)+in)
		}
		if len(p.Holes) > 0 {
			out = append(out, "agent "+p.Agent+": no window "+holesText(p)+in)
		}
		switch {
		case p.Between:
			out = append(out, "agent "+p.Agent+": lost before "+p.Phase+why(p))
		case p.Lost:
			out = append(out, "agent "+p.Agent+": lost at "+secondsText(p.LostAt)+planned(p)+in+why(p))
		case p.Short:
			out = append(out, "agent "+p.Agent+": ended at "+secondsText(p.Until)+planned(p)+in)
		case p.Ended:
		case p.Begun:
			out = append(out, "agent "+p.Agent+": nothing after "+secondsText(p.Until)+planned(p)+in)
		default:
			out = append(out, "agent "+p.Agent+": no window of "+p.Phase)
		}
	}
	return out
}

func planned(p ShardPhase) string {
	if p.Planned == 0 {
		return ""
	}
	return " of " + secondsText(p.Planned)
}

func why(p ShardPhase) string {
	if p.Why == "" {
		return ""
	}
	return ": " + p.Why
}

func gapText(gaps []Range) string {
	var b strings.Builder
	b.WriteString("windows ")
	if len(gaps) == 1 && gaps[0].First == gaps[0].Last {
		b.Reset()
		b.WriteString("window ")
	}
	for i, g := range gaps {
		if i == maxGaps {
			n := 0
			for _, g := range gaps[i:] {
				n += g.Last - g.First + 1
			}
			fmt.Fprintf(&b, " and %d more", n)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(g.First))
		if g.Last > g.First {
			b.WriteString("–" + strconv.Itoa(g.Last))
		}
	}
	return b.String()
}

// holesText lists the times without a window, and their sum.
func holesText(p ShardPhase) string {
	var b strings.Builder
	var sum time.Duration
	for i, h := range p.Holes {
		sum += h.To - h.From
		switch {
		case i > maxGaps:
		case i == maxGaps:
			fmt.Fprintf(&b, " and %d more times", len(p.Holes)-i)
		default:
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("from " + secondsText(h.From) + " to " + secondsText(h.To))
		}
	}
	return b.String() + " (" + secondsText(sum) + planned(p) + ")"
}

// secondsText is d in seconds with at most one decimal, or in milliseconds below 100: "60 s", "12.3 s", "40 ms".
func secondsText(d time.Duration) string {
	if 0 < d && d < 100*time.Millisecond {
		return strconv.FormatFloat(math.Ceil(float64(d)/float64(time.Millisecond)), 'f', -1, 64) + " ms"
	}
	return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0") + " s"
}
