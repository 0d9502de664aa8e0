package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/result"
)

// foreign returns what is known of the program that measured a side, from its first foreign run; nil if benchd measured it.
func (g *group) foreign() *result.Foreign {
	for _, r := range g.runs {
		if r.Provenance.Foreign != nil {
			return r.Provenance.Foreign
		}
	}
	return nil
}

// program is the program that measured a run.
func program(r result.Run) string {
	if f := r.Provenance.Foreign; f != nil {
		return f.String()
	}
	return "benchd"
}

// unknownLoop returns why two cases must not be compared if one of them does not name its loop.
func unknownLoop(a, b *group) string {
	for _, side := range []struct {
		name string
		*group
	}{{"A", a}, {"B", b}} {
		if side.loop == result.UnknownLoop {
			return fmt.Sprintf("%s does not name its loop, and open and closed loops are not compared: import its files with --loop open or --loop closed", side.name)
		}
	}
	return ""
}

// clocks reports which latencies the response times of a case are. In an unthrottled closed loop they are both at once: an operation is
// intended when it is sent.
func (g *group) clocks() (response, service bool) {
	response, service = true, true
	for _, r := range g.runs {
		throttle, known := r.Resolved["target"]
		same := g.loop == "closed" && (throttle == "" || throttle == "0")
		switch f := r.Provenance.Foreign; {
		case f == nil, f.Latency == result.BothLatencies:
			service = service && same && f == nil
		case f.Latency == result.ResponseLatency:
			service = service && same && (known || r.Resolved["workload"] != "")
		default:
			response = response && same && (known || r.Resolved["workload"] != "") // a command line without a throttle
		}
	}
	return response, service
}

// sameClock reports whether the latencies of two cases mean the same.
func sameClock(a, b *group) bool {
	responseA, serviceA := a.clocks()
	responseB, serviceB := b.clocks()
	return responseA && responseB || serviceA && serviceB || a.foreign() == nil && b.foreign() == nil
}

func isLatency(name string) bool { return strings.HasSuffix(name, "_us") }

// foreignNotes are what a reader must know of sides that another program measured.
func foreignNotes(a, b *group) []string {
	var out []string
	for _, side := range []struct {
		name string
		*group
	}{{"A", a}, {"B", b}} {
		f := side.foreign()
		if f == nil {
			continue
		}
		out = append(out, fmt.Sprintf("%s: measured by %s, not by benchd: unknown are the settings that its files do not name, and whether its client was the limit", side.name, f))
		if f.Program == "YCSB" {
			out = append(out, fmt.Sprintf("%s: YCSB's throughput includes the time to connect and to clean up, and its figures include the warm-up", side.name))
		}
		if side.runs[0].Resolved["db"] == "" {
			out = append(out, fmt.Sprintf("%s: its files do not name the database", side.name))
		}
	}
	if !sameClock(a, b) {
		out = append(out, fmt.Sprintf("latencies are left out: of A they are %s, of B %s; a throttle or an open loop makes these differ", a.latencies(), b.latencies()))
	}
	return out
}

func (g *group) latencies() string {
	if f := g.foreign(); f != nil && f.Latency == result.ServiceLatency {
		return "service times"
	}
	return "response times"
}

// foreignFacts changes the facts of two cases of which one or both are foreign: it adds the program, and leaves out the settings that a
// foreign side does not name, except for a throttle. Two foreign sides name settings in the same way.
func foreignFacts(a, b *group, x, y map[string]string) {
	if a.foreign() == nil && b.foreign() == nil {
		return
	}
	for _, side := range []struct {
		*group
		own, other map[string]string
	}{{a, x, y}, {b, y, x}} {
		names := []string{}
		for _, r := range side.runs {
			if name := program(r); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		side.own["program"] = strings.Join(names, ", ")
		if side.foreign() == nil || a.foreign() != nil && b.foreign() != nil {
			continue
		}
		for what := range side.other {
			if _, known := side.own[what]; !known && strings.HasPrefix(what, "setting ") && what != "setting target" {
				delete(side.other, what)
			}
		}
	}
}
