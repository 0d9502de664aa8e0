package result

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/stats"
)

// By how much an agent must differ from the others to be named.
const (
	otherThroughput = 0.05
	otherResponse   = 0.10
)

// mostCompared is how many agents are compared: each has a series of its own, which takes time and memory.
const mostCompared = 200

// agentFigure is a figure of one agent in one window, compared between agents.
type agentFigure struct {
	name  string
	limit float64
	of    func(h *health) float64 // above 0 where there are operations
}

func agentFigures() []agentFigure {
	return []agentFigure{
		{"throughput", otherThroughput, func(h *health) float64 { return float64(h.ops) / (h.end - h.start).Seconds() }},
		{"mean response time", otherResponse, func(h *health) float64 { return h.response.mean(h.ops) }},
	}
}

// agentsAgree tests whether agents of equal workers measured the same throughput and mean response time. It compares
// the agents window by window: what all of them see at the same time is no difference. Nil for one agent, where the
// data do not decide, and where groups of both loops work, whose response times have no common mean (law 2). Only ended runs are tested, because it takes a while for many agents.
func (b *Builder) agentsAgree(run Run) *Verdict {
	if !run.Status.Ended() {
		return nil
	}
	var because []string
	agree, differ, windows := true, false, 0
	for _, p := range b.evaluated() {
		if p.info.Name != string(plan.Measure) || !b.comparable(p) || p.mixed() {
			continue
		}
		names, common := p.commonWindows()
		if len(common) < stats.LeastWindows {
			continue
		}
		windows += len(common)
		figures := agentFigures()
		each := 1 - (1-confidence)/float64(len(names)*len(figures))
		for _, f := range figures {
			var furthest departure
			courses := p.courses(f, names, common)
			most := majority(courses, f.limit)
			for i, name := range names {
				if len(names) == 2 && i == 0 {
					continue // the other one is compared with it
				}
				share, half, ok := departureOf(courses[i], others(courses, most, i), each)
				if !ok {
					agree = false
					continue
				}
				d := departure{agent: name, figure: f.name, share: share, half: half}
				agree = agree && math.Abs(d.share)+d.half <= f.limit
				if math.Abs(d.share) > math.Abs(furthest.share) || furthest.agent == "" {
					furthest = d
				}
				if math.Abs(d.share) >= f.limit && math.Abs(d.share) > d.half {
					differ = true
					because = append(because, d.text(p.info.Name))
				}
			}
			if !differ && furthest.agent != "" {
				because = append(because, "largest difference: "+furthest.text(p.info.Name))
			}
		}
	}
	if agree == differ || windows == 0 {
		return nil
	}
	return &Verdict{
		Name: "agents_agree", Value: agree, Because: strings.Join(because, "; "),
		Test: fmt.Sprintf("in each window, the ratio of each agent's figure to the geometric mean of the others' (without those that differ), with intervals of 95 %% over all agents and figures by %s: "+
			"yes if all lie within ±%s (throughput) or ±%s (mean response time), no if one excludes 0 and is at least as large as that; on %s windows",
			stats.SeriesMethod, percentText(otherThroughput), percentText(otherResponse), Thousands(uint64(windows))),
	}
}

// comparable reports whether the agents of a phase had the same task: as many workers, and each its shard for all of it.
func (b *Builder) comparable(p *phase) bool {
	shards := b.shards()
	if len(shards) < 2 || len(shards) > mostCompared || len(p.generators) != len(shards) {
		return false
	}
	return !slices.ContainsFunc(shards, func(s ShardInfo) bool { return s.Workers != shards[0].Workers || s.Attempt != shards[0].Attempt })
}

// commonWindows are the agents of a phase, and the windows of full length that all of them have, without the first.
func (p *phase) commonWindows() (names []string, common []int64) {
	names = p.agentNames()
	var length time.Duration
	for _, h := range p.generators[names[0]].course {
		length = max(length, h.end-h.start)
	}
	full := func(h *health) bool {
		return h != nil && h.end-h.start > length-length/100 && h.ops > 0 && h.response.mean(h.ops) > 0
	}
	for _, at := range slices.Sorted(maps.Keys(p.generators[names[0]].course)) {
		if !slices.ContainsFunc(names, func(name string) bool { return !full(p.generators[name].course[at]) }) {
			common = append(common, at)
		}
	}
	return names, common[min(1, len(common)):]
}

// departure is by which share an agent's figure differs from those of the others, and half of its interval.
type departure struct {
	agent, figure string
	share, half   float64
}

// courses are the logarithms of the figures of agents, window by window: a difference of two is a factor.
func (p *phase) courses(f agentFigure, names []string, common []int64) [][]float64 {
	out := make([][]float64, len(names))
	for i, name := range names {
		out[i] = make([]float64, len(common))
		for j, at := range common {
			out[i][j] = math.Log(f.of(p.generators[name].course[at]))
		}
	}
	return out
}

// majority are the agents whose mean is within the limit of the median agent's: an agent that differs must not make the
// others look different.
func majority(courses [][]float64, limit float64) []bool {
	means := make([]float64, len(courses))
	for i, course := range courses {
		means[i] = mean(course)
	}
	middle := stats.Median(means)
	out := make([]bool, len(courses))
	for i, m := range means {
		out[i] = math.Abs(m-middle) <= math.Log1p(limit)
	}
	return out
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// others is the mean course of those of the majority, or of all where there is none, without one agent.
func others(courses [][]float64, of []bool, without int) []float64 {
	out := make([]float64, len(courses[0]))
	count := 0
	for i, course := range courses {
		if i == without || !of[i] {
			continue
		}
		count++
		for j, v := range course {
			out[j] += v
		}
	}
	if count == 0 {
		all := make([]bool, len(of))
		for i := range all {
			all[i] = true
		}
		return others(courses, all, without)
	}
	for j := range out {
		out[j] /= float64(count)
	}
	return out
}

// departureOf compares the course of an agent with that of the others; false if the series does not support that.
func departureOf(own, others []float64, confidence float64) (share, half float64, ok bool) {
	series := make([]float64, len(own))
	for i, v := range own {
		series[i] = v - others[i]
	}
	m, err := stats.MeanOfSeries(series, confidence)
	if err != nil {
		return 0, 0, false
	}
	return math.Expm1(m.Value), (math.Exp(m.High) - math.Exp(m.Low)) / 2, true
}

func (d departure) text(phase string) string {
	side := "above"
	if d.share < 0 {
		side = "below"
	}
	return fmt.Sprintf("%s: agent %s: %s %s ± %s %s the others", phase, d.agent, d.figure, percentText(math.Abs(d.share)), percentText(d.half), side)
}

// addOps adds a window's operations, without the parts of larger ones, and the sum of their response times.
func (h *health) addOps(series []latency.Series) {
	for i := range series {
		if s := &series[i]; s.Key.PartOf == "" {
			h.ops += s.Response.Count()
			h.response.add(s.Response)
		}
	}
}
