package result

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ShardPhase is what is known of one shard's part of one phase.
type ShardPhase struct {
	Agent   string
	Phase   string
	Planned time.Duration // how long the phase was to be; 0 where operations end it

	Gaps    []Range       // numbers of windows that should be here and are not
	Begun   bool          // whether any window is here
	Ended   bool          // whether the last window is here, or the agent told how many there are
	Until   time.Duration // the end of the newest window that is here
	Lost    bool          // whether the agent was lost in this phase
	LostAt  time.Duration // when, from the phase's start
	Why     string        // it was lost; may be empty
	Between bool          // whether the agent was lost before it began the phase
}

// maxGaps is how many gaps are named one by one.
const maxGaps = 5

// Missing says in words what a result lacks: one line for each shard's part of a phase that is not whole, in
// the order given. The phase is named where there is more than one.
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
		switch {
		case p.Between:
			out = append(out, "agent "+p.Agent+": lost before "+p.Phase+why(p))
		case p.Lost:
			out = append(out, "agent "+p.Agent+": lost at "+secondsText(p.LostAt)+planned(p)+in+why(p))
		case p.Ended:
		case p.Begun:
			out = append(out, "agent "+p.Agent+": nothing after "+secondsText(p.Until)+planned(p)+in)
		default:
			out = append(out, "agent "+p.Agent+": nothing of "+p.Phase)
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

// secondsText is d in seconds with at most one decimal: "60 s", "12.3 s".
func secondsText(d time.Duration) string {
	return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0") + " s"
}
