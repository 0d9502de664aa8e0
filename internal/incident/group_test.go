package incident_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/incident"
	"github.com/benchd/benchd/internal/result"
)

// outline lists incidents with their other causes and the answer.
func outline(incidents []result.Incident) []string {
	var out []string
	for _, i := range incidents {
		answer := "not determined"
		if i.Dip != nil && *i.Dip {
			answer = fmt.Sprintf("%.0f %% from %.0f", *i.Depth, *i.DipAt)
			if i.Recovery != nil {
				answer += fmt.Sprintf(" for %.0f", *i.Recovery)
			}
		} else if i.Dip != nil {
			answer = "no dip"
		}
		line := []string{fmt.Sprintf("%.0f %s: %s", i.T, i.Cause, answer)}
		for _, e := range i.Events {
			line = append(line, fmt.Sprintf("%.0f %s", e.T, e.Text))
		}
		out = append(out, strings.Join(line, "; "))
	}
	return out
}

func TestCausesThatAreCloseTogetherAreOneIncident(t *testing.T) {
	begins, ends := "compaction begins on rs1", result.CompactionEnds+" on rs1 after 20 s"
	for _, tc := range []struct {
		name    string
		rates   []float64
		actions []result.Action
		events  []result.Event
		want    []string
	}{
		{name: "no events", rates: series(flat(20, 1000), flat(5, 100), flat(20, 1000))},
		{
			name: "other kinds of events", rates: flat(40, 1000),
			events: []result.Event{event(0, "phase", "measure starts"), event(20, "action", "flush begins"), event(20, "telemetry", "gap"), event(30, "limit", "x")},
		},
		{
			name: "a restart with all that it causes", rates: series(flat(20, 1000), flat(40, 500), flat(30, 1000)),
			actions: []result.Action{acted(20, 25, "restart")},
			events:  []result.Event{event(24, "server", "lost"), event(50, "server", "joined"), event(52, "split", "a split"), event(80, "split", "another")},
			want:    []string{"20 restart: 50 % from 20 for 40; 24 lost; 50 joined; 52 a split", "80 another: no dip"},
		},
		{
			name: "actions that follow one another at once", rates: series(flat(20, 1000), flat(5, 500), flat(30, 1000)),
			actions: []result.Action{acted(20, 1, "disable"), acted(24, 1, "enable"), acted(45, 1, "flush")},
			want:    []string{"20 disable: 50 % from 20 for 5; 24 enable", "45 flush: no dip"},
		},
		{
			name: "actions in turn", rates: series(flat(20, 1000), flat(5, 500), flat(30, 1000)),
			actions: []result.Action{acted(20, 3, "compact"), acted(29, 1, "split")},
			want:    []string{"20 compact: 50 % from 20 for 5", "29 split: no dip"},
		},
		{
			name: "an action is never a consequence of an event", rates: series(flat(20, 1000), flat(5, 500), flat(30, 1000)),
			actions: []result.Action{acted(20, 1, "kill")},
			events:  []result.Event{event(18, "compaction", begins), event(38, "compaction", ends)},
			want:    []string{"18 compaction begins on rs1: no dip", "20 kill: 50 % from 20 for 5"},
		},
		{
			name: "a compaction lasts until it has ended", rates: series(flat(35, 1000), flat(5, 500), flat(30, 1000)),
			events: []result.Event{event(18, "compaction", begins), event(38, "compaction", ends)},
			want:   []string{"18 compaction begins on rs1: 50 % from 35 for 22; 38 " + ends},
		},
		{
			name: "a compaction that had begun before", rates: flat(40, 1000),
			events: []result.Event{event(18, "compaction", ends)},
		},
		{
			name: "a flush is no incident of its own", rates: series(flat(35, 1000), flat(5, 500), flat(30, 1000)),
			events: []result.Event{event(12, "flush", "early"), event(35, "flush", "late")},
		},
		{
			name: "frequent flushes do not prolong an incident", rates: series(flat(20, 1000), flat(5, 500), flat(10, 1000), flat(5, 500), flat(10, 1000)),
			actions: []result.Action{acted(20, 1, "kill")},
			events:  []result.Event{event(25, "flush", "one"), event(30, "flush", "two"), event(35, "flush", "three")},
			want:    []string{"20 kill: 50 % from 20 for 5; 25 one; 30 two"},
		},
		{
			name: "a compaction from the beginning is usual", rates: series(flat(50, 1000), flat(5, 500), flat(30, 1000)),
			actions: []result.Action{acted(50, 1, "split")},
			events:  []result.Event{event(2, "compaction", begins), event(60, "compaction", ends)},
			want:    []string{"2 " + begins + ": not determined", "50 split: 50 % from 50 for 5; 60 " + ends},
		},
		{
			name: "a server whose loss is noticed late", rates: series(flat(30, 1000), flat(50, 300), flat(20, 1000)),
			events: []result.Event{event(65, "server", "lost"), event(67, "server", "joined")},
			want:   []string{"65 lost: 70 % from 30 for 50; 67 joined"},
		},
		{
			name: "a dip that was over is not that of a server", rates: series(flat(30, 1000), flat(10, 300), flat(60, 1000)),
			events: []result.Event{event(65, "server", "lost")},
			want:   []string{"65 lost: no dip"},
		},
		{
			name: "a split that is noticed a little late", rates: series(flat(30, 1000), flat(3, 300), flat(30, 1000)),
			events: []result.Event{event(35, "split", "a split")},
			want:   []string{"35 a split: 70 % from 30 for 3"},
		},
		{
			name: "an agent that is lost", rates: series(flat(30, 1000), flat(30, 500)),
			events: []result.Event{event(32, "agent", "lost"), event(59, "agent", "windows are missing")},
			want:   []string{"32 lost: 50 % from 30; 59 windows are missing"},
		},
		{
			name: "an action on a new level", rates: series(flat(20, 1000), flat(60, 700), flat(5, 350), flat(20, 700)),
			actions: []result.Action{acted(20, 1, "shrink"), acted(80, 1, "compact")},
			want:    []string{"20 shrink: 30 % from 20", "80 compact: 50 % from 80 for 5"},
		},
		{
			name: "an action while the throughput has not recovered", rates: series(flat(20, 1000), flat(25, 700), flat(5, 350), flat(20, 700)),
			actions: []result.Action{acted(20, 1, "shrink"), acted(45, 1, "compact")},
			want:    []string{"20 shrink: 30 % from 20", "45 compact: not determined"},
		},
		{
			name: "each action of several on a new level", rates: series(flat(20, 1000), flat(130, 700), flat(5, 350), flat(20, 700)),
			actions: []result.Action{acted(20, 1, "shrink"), acted(80, 1, "flush"), acted(110, 1, "compact"), acted(150, 1, "split")},
			want:    []string{"20 shrink: 30 % from 20", "80 flush: no dip", "110 compact: no dip", "150 split: 50 % from 150 for 5"},
		},
		{
			name: "an action during the dip of another", rates: series(flat(20, 1000), flat(15, 400), flat(65, 1000), flat(5, 350), flat(20, 1000)),
			actions: []result.Action{acted(20, 1, "kill"), acted(30, 1, "balance"), acted(100, 1, "split")},
			want:    []string{"20 kill: 60 % from 20", "30 balance: not determined", "100 split: 65 % from 100 for 5"},
		},
		{
			name: "an event long after a fall without recovery", rates: series(flat(20, 1000), flat(180, 700), flat(5, 350), flat(20, 700)),
			actions: []result.Action{acted(20, 1, "shrink")},
			events:  []result.Event{event(100, "split", "consequence"), event(200, "split", "another")},
			want:    []string{"20 shrink: 30 % from 20; 100 consequence", "200 another: 50 % from 200 for 5"},
		},
		{
			name: "what an earlier incident disturbed is not usual", rates: series(flat(20, 1000), flat(30, 400), flat(15, 1000), flat(5, 500), flat(20, 1000)),
			actions: []result.Action{acted(20, 3, "kill"), acted(65, 1, "compact")},
			want:    []string{"20 kill: 60 % from 20 for 30", "65 compact: 50 % from 65 for 5"},
		},
		{
			name: "an event after the end", rates: flat(20, 1000),
			events: []result.Event{event(25, "agent", "windows are missing")},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := measured(tc.rates...)
			p.Actions, p.Events = tc.actions, tc.events
			require.Equal(t, tc.want, outline(incident.Of(p)))
			p.Name = "warmup"
			require.Empty(t, incident.Of(p), "a warm-up is not measured")
		})
	}
}

// The mean before is that of the level from which the throughput fell.
func TestADriftBeforeAnIncident(t *testing.T) {
	var rates []float64
	for i := range 200 {
		rates = append(rates, 2000-5*float64(i))
	}
	p := measured(series(rates, flat(30, 1000))...)
	p.Actions = []result.Action{acted(200, 1, "flush")}
	i := incident.Of(p)[0]
	require.False(t, *i.Dip, i.Because)
	require.InDelta(t, 1030, i.Before.Mean, 40)
	require.Greater(t, i.Before.From, 170.0)
}
