package chart

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/benchd/benchd/internal/result"
)

// AgentSeries is the course of each agent of a run, for lines or a heat map.
type AgentSeries struct {
	Schema  int           `json:"schema"`
	Kind    string        `json:"kind"` // "agent_series"
	ID      string        `json:"id"`
	Status  result.Status `json:"status"`
	Started *time.Time    `json:"started"`      // null until then
	Step    float64       `json:"step_seconds"` // length of a column
	Phases  []AgentPhase  `json:"phases"`
	Times   []float64     `json:"times"` // where each column begins, in seconds since the run's start
	Agents  []AgentLine   `json:"agents"`
}

// AgentPhase names the columns of a phase.
type AgentPhase struct {
	Name    string `json:"name"`
	From    int    `json:"from"` // index of the first column
	Columns int    `json:"columns"`
}

// AgentLine is an agent with a value for each column.
type AgentLine struct {
	Name      string `json:"name"`
	Connected bool   `json:"connected"`
	State     string `json:"state"`
	// Rate is operations per second; null where no window of the agent has come.
	Rate []*float64 `json:"rate"`
	// P99 is that of the agent's good operations; null if these are too few. A column that is merged of several has the highest of theirs.
	P99 []*float64 `json:"p99_us"`
}

// AgentShard is a shard as an agent got it.
type AgentShard struct {
	Name           string
	Shard, Attempt int
	Connected      bool
	State          string
}

// Fill adds the columns of a grid, at most so many; begin returns when a phase began, since the run's start.
func (d *AgentSeries) Fill(g Grid, shards []AgentShard, points int, begin func(phase string) time.Duration) {
	if points <= 0 {
		points = mostColumns
	}
	total := 0
	for _, p := range g.Phases {
		total += p.Columns
	}
	factor := max((total+points-1)/points, 1)
	step := time.Duration(factor) * g.Step
	d.Step, d.Phases, d.Times, d.Agents = step.Seconds(), []AgentPhase{}, []float64{}, []AgentLine{}
	for _, p := range g.Phases {
		columns := (p.Columns + factor - 1) / factor
		d.Phases = append(d.Phases, AgentPhase{p.Name, len(d.Times), columns})
		for i := range columns {
			d.Times = append(d.Times, (begin(p.Name) + time.Duration(i)*step).Seconds())
		}
	}
	shards = slices.Clone(shards)
	slices.SortStableFunc(shards, func(a, b AgentShard) int { return cmp.Compare(a.Name, b.Name) })
	rows := make(map[rowKey][]Cell)
	for _, p := range g.Phases {
		for _, r := range p.Rows {
			rows[rowKey{p.Name, r.Shard, r.Attempt}] = merged(r.Cells, factor)
		}
	}
	cells := make([]Cell, len(d.Times))
	for i, s := range shards {
		if i == 0 || shards[i-1].Name != s.Name {
			clear(cells)
		}
		for k, p := range d.Phases {
			for j, c := range rows[rowKey{g.Phases[k].Name, s.Shard, s.Attempt}] {
				to := &cells[p.From+j]
				to.Ops, to.Time, to.P99 = to.Ops+c.Ops, to.Time+c.Time, max(to.P99, c.P99)
			}
		}
		if i+1 == len(shards) || shards[i+1].Name != s.Name { // the last shard of the agent shows its state
			d.Agents = append(d.Agents, lineOf(s, cells))
		}
	}
}

// lineOf makes the line of an agent. Its values are rounded to what a picture can show.
func lineOf(s AgentShard, cells []Cell) AgentLine {
	line := AgentLine{Name: s.Name, Connected: s.Connected, State: s.State, Rate: make([]*float64, len(cells)), P99: make([]*float64, len(cells))}
	for i, c := range cells {
		if c.Time > 0 {
			line.Rate[i] = new(math.Round(10*float64(c.Ops)/c.Time.Seconds()) / 10)
		}
		if c.P99 > 0 {
			line.P99[i] = new(math.Round(float64(c.P99)/100) / 10)
		}
	}
	return line
}
