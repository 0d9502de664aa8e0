package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// What a generator may bear before a result is called client-bound (law 7).
const (
	idleFloor    = 0.20             // of the host's CPU, over a phase or a stretch
	stretchShare = 0.10             // of a phase, that a stretch is at least
	lateShare    = 0.001            // of an agent's operations: more could move the p99.9
	lagFloor     = time.Millisecond // of scheduler lag, p99
	lagShare     = 0.10             // of the operations' p99
	pauseShare   = 0.05             // of the time, in stop-the-world pauses
)

// clientBound tells whether the load generator was the limit. It is left out when no agent could tell of its
// host's CPU and nothing else speaks against them: then it is not known.
func (b *Builder) clientBound() *Verdict {
	var found, fine, tests []string
	known := true
	for _, p := range b.judged() {
		c := b.examine(p)
		found = append(found, c.found...)
		fine = append(fine, c.fine...)
		tests = append(tests, c.test)
		known = known && c.idleKnown
	}
	switch {
	case len(found) > 0:
		return &Verdict{
			Name: "client_bound", Value: true,
			Because: strings.Join(found, "; "), Test: strings.Join(tests, "; "),
		}
	case len(tests) > 0 && known:
		return &Verdict{
			Name: "client_bound", Value: false,
			Because: strings.Join(fine, "; "), Test: strings.Join(tests, "; "),
		}
	}
	return nil
}

// examination is what the test of one phase found.
type examination struct {
	phase       *phase
	found, fine []string
	test        string
	idleKnown   bool
}

func (b *Builder) examine(p *phase) examination {
	x := examination{phase: p, idleKnown: true}
	x.idle(b.hosts(p))
	x.late()
	lagLimit, lagTested := x.lag()
	x.pauses()

	tests := []string{fmt.Sprintf("idle CPU of a host below %s over the phase or over a stretch of %s of it (%s)",
		percentText(idleFloor), percentText(stretchShare), secondsText(x.shortest()))}
	if !x.idleKnown {
		tests[0] = "idle CPU not tested: not every agent could tell"
	}
	tests = append(tests, fmt.Sprintf("more than %s of an agent's operations sent late", percentText(lateShare)))
	if lagTested {
		tests = append(tests, fmt.Sprintf("scheduler lag p99 above %s over such a stretch", lengthText(lagLimit)))
	} else {
		tests = append(tests, "scheduler lag not tested: too few operations for a p99")
	}
	tests = append(tests, fmt.Sprintf("stop-the-world pauses for more than %s of such a stretch", percentText(pauseShare)))
	x.test = fmt.Sprintf("%s, %s of %s: %s",
		p.info.Name, secondsText(p.end), agentsText(p.agentNames()), strings.Join(tests, "; "))
	return x
}

// shortest is how long a stretch is at least.
func (x *examination) shortest() time.Duration {
	return time.Duration(stretchShare * float64(x.phase.end))
}

// host is the CPU that one or more agents of a phase share.
type host struct {
	agents  []string
	shared  bool
	seconds float64
	idle    float64
	steps   []*health
}

// hosts groups a phase's agents by their hosts.
func (b *Builder) hosts(p *phase) []host {
	where := make(map[string]string, len(b.agents))
	for _, info := range b.shards() {
		where[info.Agent] = info.Host
	}
	byHost := make(map[string][]string)
	for _, name := range p.agentNames() {
		at := cmp.Or(where[name], "agent "+name)
		byHost[at] = append(byHost[at], name)
	}
	var out []host
	for _, at := range slices.SortedFunc(maps.Keys(byHost), func(x, y string) int {
		return cmp.Compare(byHost[x][0], byHost[y][0])
	}) {
		h := host{agents: byHost[at], shared: len(byHost[at]) > 1}
		steps := make(map[int64]*health)
		for _, name := range h.agents {
			g := p.generators[name]
			h.seconds += g.seconds
			h.idle += g.idle
			for index, step := range g.course {
				sum := steps[index]
				if sum == nil {
					sum = &health{start: step.start, end: step.end}
					steps[index] = sum
				}
				sum.start, sum.end = min(sum.start, step.start), max(sum.end, step.end)
				sum.seconds += step.seconds
				sum.idle += step.idle
			}
		}
		h.steps = slices.SortedFunc(maps.Values(steps), func(a, b *health) int { return cmp.Compare(a.start, b.start) })
		out = append(out, h)
	}
	return out
}

func (h host) name() string {
	if h.shared {
		return agentsText(h.agents) + ", which share one host"
	}
	return agentsText(h.agents)
}

func (x *examination) idle(hosts []host) {
	lowest, whose := 2.0, ""
	for _, h := range hosts {
		if h.seconds == 0 {
			x.idleKnown = false
			continue
		}
		mean := h.idle / h.seconds
		if mean < lowest {
			lowest, whose = mean, h.name()
		}
		if mean < idleFloor {
			x.findf("%s: %s idle CPU over all of it", h.name(), percentText(mean))
			continue
		}
		low := stretches(h.steps, x.shortest(), func(s *health) bool {
			return s.seconds > 0 && s.idle/s.seconds < idleFloor
		})
		if len(low) > 0 {
			x.findf("%s: %s idle CPU %s", h.name(), percentText(low[0].idle/low[0].seconds), low.text())
		}
	}
	if whose != "" {
		x.passf("%s: lowest mean idle CPU %s (%s)", x.phase.info.Name, percentText(lowest), whose)
	}
}

func (x *examination) late() {
	var late, all uint64
	for _, name := range x.phase.agentNames() {
		g := x.phase.generators[name]
		late += g.late
		all += g.ops
		if g.late > 0 && float64(g.late) > lateShare*float64(g.ops) {
			x.findf("agent %s: %d of %d operations sent late although a worker was free, by up to %s",
				name, g.late, g.ops, lengthText(g.lateMax))
		}
	}
	x.passf("%d of %d operations sent late", late, all)
}

// lag tests the scheduler's lag against what it could distort: the p99 of all good operations.
func (x *examination) lag() (limit time.Duration, tested bool) {
	var good latency.Histogram
	for key, sum := range x.phase.totals {
		if key.PartOf == "" && Good(key.Outcome) && good.Merge(sum.response) != nil {
			return 0, false
		}
	}
	if !good.Supports(0.99) {
		return 0, false
	}
	p99 := time.Duration(good.Quantile(0.99))
	limit = max(lagFloor, time.Duration(lagShare*float64(p99)))
	var most time.Duration
	for _, name := range x.phase.agentNames() {
		g := x.phase.generators[name]
		most = max(most, g.lagP99)
		long := stretches(g.steps(), x.shortest(), func(s *health) bool { return s.lagP99 > limit })
		if len(long) > 0 {
			x.findf("agent %s: scheduler lag p99 of %s %s, where the operations' p99 is %s",
				name, lengthText(long[0].lagP99), long.text(), lengthText(p99))
		}
	}
	x.passf("scheduler lag p99 at most %s", lengthText(most))
	return limit, true
}

func (x *examination) pauses() {
	for _, name := range x.phase.agentNames() {
		long := stretches(x.phase.generators[name].steps(), x.shortest(), func(s *health) bool {
			return float64(s.pauses) > pauseShare*float64(s.end-s.start)
		})
		if len(long) > 0 {
			share := float64(long[0].pauses) / float64(long[0].end-long[0].start)
			x.findf("agent %s: stopped for garbage collection for %s of the time %s", name, percentText(share), long.text())
		}
	}
}

func (x *examination) findf(format string, args ...any) {
	x.found = append(x.found, x.phase.info.Name+": "+fmt.Sprintf(format, args...))
}

func (x *examination) passf(format string, args ...any) {
	x.fine = append(x.fine, fmt.Sprintf(format, args...))
}

// stretchList are stretches of one kind, the longest first.
type stretchList []health

// stretches are the runs of consecutive steps that are all bad and last for shortest at least.
func stretches(steps []*health, shortest time.Duration, bad func(*health) bool) stretchList {
	var out stretchList
	var now *health
	finish := func() {
		if now != nil && now.end-now.start >= shortest {
			out = append(out, *now)
		}
		now = nil
	}
	for _, s := range steps {
		if !bad(s) {
			finish()
			continue
		}
		if now == nil {
			now = &health{start: s.start}
		}
		now.end = s.end
		now.seconds += s.seconds
		now.idle += s.idle
		now.pauses += s.pauses
		now.lagP99 = max(now.lagP99, s.lagP99)
	}
	finish()
	slices.SortStableFunc(out, func(a, b health) int { return cmp.Compare(b.end-b.start, a.end-a.start) })
	return out
}

// text says when the longest stretch was, and how many more there are.
func (l stretchList) text() string {
	text := "from " + secondsText(l[0].start) + " to " + secondsText(l[0].end)
	switch n := len(l) - 1; n {
	case 0:
	case 1:
		text += " (and in one more stretch)"
	default:
		text += fmt.Sprintf(" (and in %d more stretches)", n)
	}
	return text
}
