package advice

import (
	"slices"

	"github.com/benchd/benchd/internal/pacing"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
)

// Rate is whether the agents of a case can offer its rate.
type Rate struct {
	PerAgent float64     `json:"rate_per_agent"` // in operations per second, at its highest
	Answer   Answer      `json:"answer"`
	Agents   []AgentRate `json:"agents"`
}

// AgentRate is what earlier runs on the same kind of target show of an agent.
type AgentRate struct {
	Agent   string  `json:"agent"`
	Answer  Answer  `json:"answer"`
	Reached float64 `json:"reached"`       // the highest rate with enough idle CPU; 0 if unknown
	Run     string  `json:"run,omitempty"` // in which it was reached
	// Bound is the rate at which its CPU would have no more than the required idle share, at the cost per operation of Run; 0
	// if unknown. It assumes that the cost stays the same.
	Bound    float64 `json:"bound"`
	CPUPerOp float64 `json:"cpu_us_per_op,omitempty"`
	Cores    int     `json:"cores,omitempty"`
}

// Answer is whether a rate can be offered.
type Answer string

// The answers.
const (
	Yes     Answer = "yes"       // each agent has reached it with enough idle CPU
	Likely  Answer = "likely"    // the CPU per operation of earlier runs leaves enough idle CPU
	No      Answer = "no"        // it does not
	Unknown Answer = "not known" // no earlier run with this agent
)

// IdleShare is the idle CPU that an agent needs (law 7).
const IdleShare = 0.20

// rateOf compares the rate of a case with those that its agents have reached: on runs of the case, or else of its target's
// kind. A case without a rate has none.
func rateOf(c Case, earlier, same []Earlier, agents []string) *Rate {
	rate := PeakRate(c.Settings)
	if rate <= 0 {
		return nil
	}
	n := c.Agents
	if n == 0 {
		n = len(agents)
	}
	out := &Rate{PerAgent: rate / float64(max(n, 1)), Answer: Unknown, Agents: []AgentRate{}}
	for _, name := range agents {
		one := reached(name, same, c.Settings.DB)
		if other := reached(name, earlier, c.Settings.DB); one.Reached < out.PerAgent && (other.Reached > one.Reached || one.Bound == 0) {
			one = other
		}
		switch {
		case one.Reached >= out.PerAgent:
			one.Answer = Yes
		case one.Bound >= out.PerAgent:
			one.Answer = Likely
		case one.Bound > 0:
			one.Answer = No
		default:
			one.Answer = Unknown
		}
		out.Agents = append(out.Agents, one)
	}
	out.Answer = together(out.Agents)
	return out
}

// together is the answer of several agents, any of which may run the case: the weakest one.
func together(agents []AgentRate) Answer {
	for _, a := range []Answer{No, Unknown, Likely, Yes} {
		if slices.ContainsFunc(agents, func(one AgentRate) bool { return one.Answer == a }) {
			return a
		}
	}
	return Unknown
}

// reached finds the highest rate of an agent with enough idle CPU, and the bound that follows from the CPU of its operations in
// that run; or in the run with the highest rate, if it never had enough.
func reached(agent string, runs []Earlier, db string) AgentRate {
	out := AgentRate{Agent: agent}
	bounded := 0.0
	for _, e := range runs {
		if e.Result.Resolved["db"] != db {
			continue
		}
		for _, p := range e.Result.Phases {
			for _, g := range p.Generators {
				cores := coresOf(e.Result.Provenance.Agents, agent)
				if g.Name != agent || g.CPUPerOp <= 0 || g.OwnCPU <= 0 || cores == 0 || g.IdleMean == nil {
					continue
				}
				rate := g.OwnCPU * 1e6 / g.CPUPerOp
				enough := *g.IdleMean >= 100*IdleShare && !clientBound(e.Result)
				if enough && rate > out.Reached {
					out.Reached, out.Run = rate, e.Result.ID
				}
				if rate > bounded && (enough || out.Reached == 0) {
					bounded = rate
					out.Bound, out.CPUPerOp, out.Cores = (1-IdleShare)*float64(cores)*1e6/g.CPUPerOp, g.CPUPerOp, cores
				}
			}
		}
	}
	return out
}

// PeakRate is the highest rate of a case, of an open loop or of a throttle; 0 for none.
func PeakRate(s plan.Settings) float64 {
	if !s.Run && !s.Load {
		return 0
	}
	if s.Pacing.Arrival == "" || s.Pacing.Arrival == pacing.ClosedLoop {
		return s.Pacing.CatchUp
	}
	highest := 0.0
	for _, piece := range s.Pacing.Rate {
		highest = max(highest, piece.From, piece.To)
	}
	return highest
}

func clientBound(r result.Run) bool {
	return slices.ContainsFunc(r.Verdicts, func(v result.Verdict) bool { return v.Name == "client_bound" && v.Value })
}

func coresOf(agents []result.Agent, name string) int {
	for _, a := range agents {
		if a.Name == name {
			return a.Cores
		}
	}
	return 0
}
