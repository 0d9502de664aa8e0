package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// The limits of a generator's health; beyond one of them a result is client-bound (law 7).
const (
	idleFloor    = 0.20             // of the host's CPU, over a phase or a stretch
	stretchShare = 0.10             // of a phase: the shortest stretch
	lateShare    = 0.001            // of an agent's operations: more could move the p99.9
	lagFloor     = time.Millisecond // of scheduler lag, p99
	lagShare     = 0.10             // of the operations' p99
	lateMost     = 0.50             // of an agent's operations, in a window: then sending was the limit of an open loop
	pauseShare   = 0.05             // of the time, in stop-the-world pauses
	netCeiling   = 0.90             // of a network interface's speed, over a stretch
)

// clientBound tests whether the load generator was the limit. It is nil when no agent could measure its host's CPU and
// nothing else was found: then the answer is unknown.
func (b *Builder) clientBound(examined map[*phase]examination) *Verdict {
	var found, fine, tested []string
	known, network := true, ""
	for _, p := range b.evaluated() {
		x := examined[p]
		for _, f := range x.found {
			found = append(found, p.info.Name+": "+f)
		}
		fine = append(fine, p.info.Name+": "+strings.Join(x.fine, ", "))
		tested = append(tested, x.sample())
		known = known && x.idleKnown
		if x.netKnown {
			network = fmt.Sprintf(", or a network interface above %s of its speed", percentText(netCeiling))
		}
	}
	v := Verdict{Name: "client_bound", Value: len(found) > 0, Because: strings.Join(fine, "; ")}
	switch {
	case v.Value:
		v.Because = strings.Join(found, "; ")
	case !known || len(tested) == 0:
		return nil
	}
	v.Test = fmt.Sprintf("idle CPU of a host below %s over a phase or any %s stretch of it; "+
		"more than %s of an agent's operations sent late; over such a stretch, scheduler lag p99 above %s and above %s of the "+
		"operations' p99, or stop-the-world pauses for more than %s of the time%s; on %s",
		percentText(idleFloor), percentText(stretchShare), percentText(lateShare), lengthText(lagFloor),
		percentText(lagShare), percentText(pauseShare), network, strings.Join(tested, "; "))
	return &v
}

// examination has the findings of one phase, and the tests of each resource for its bottleneck.
type examination struct {
	phase       *phase
	found, fine []string
	tests       []ClientTest
	cpus        map[string]string // of agents: the processors that they may use, if not all
	own         map[string]float64
	idleKnown   bool
	lagKnown    bool
	netKnown    bool
}

func (b *Builder) examine(p *phase) examination {
	x := examination{phase: p, idleKnown: true, cpus: make(map[string]string), own: make(map[string]float64)}
	hosts := b.hosts(p)
	for _, h := range hosts {
		for _, name := range h.agents {
			x.cpus[name], x.own[name] = h.cpus, h.own()
		}
	}
	x.idle(hosts)
	x.late()
	x.lag()
	x.pauses()
	x.net()
	return x
}

// sample describes the tested data, and the parts of the test that could not be carried out.
func (x *examination) sample() string {
	text := fmt.Sprintf("%s, %s of %s", x.phase.info.Name, secondsText(x.phase.end), agentsText(x.phase.agentNames()))
	if !x.idleKnown {
		text += ", without the CPU of every agent"
	}
	if !x.lagKnown {
		text += ", scheduler lag not tested for lack of operations for a p99"
	}
	return text
}

// shortest is the length of the shortest stretch that counts.
func (x *examination) shortest() time.Duration {
	return time.Duration(stretchShare * float64(x.phase.end))
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
		bad := func(s *health) bool { return s.seconds > 0 && s.idle/s.seconds < idleFloor }
		x.test(ClientTest{
			Agents: h.agents, CPUs: h.cpus, Own: h.own(), Resource: ClientCPU, Value: 100 * mean, Limit: 100 * idleFloor,
		}, h.steps, bad)
		if mean < idleFloor {
			x.findf("%s: %s idle CPU over the whole phase", h.name(), percentText(mean))
			continue
		}
		low := stretches(h.steps, x.shortest(), bad)
		if len(low) > 0 {
			x.findf("%s: %s idle CPU %s", h.name(), percentText(low[0].idle/low[0].seconds), low.text())
		}
	}
	if whose != "" {
		x.passf("lowest mean idle CPU %s (%s)", percentText(lowest), whose)
	}
}

func (x *examination) late() {
	var late, all uint64
	for _, name := range x.phase.agentNames() {
		g := x.phase.generators[name]
		late += g.late
		all += g.paced
		if x.phase.paced() && g.paced > 0 {
			x.test(ClientTest{
				Agents: []string{name}, Resource: ClientTiming, Value: 100 * float64(g.late) / float64(g.paced), Limit: 100 * lateMost,
			}, g.steps(), func(s *health) bool { return float64(s.late) > lateMost*float64(s.paced) })
		}
		if g.late > 0 && float64(g.late) > lateShare*float64(g.paced) {
			x.findf("agent %s: %s of %s operations sent late although a worker was free, by up to %s",
				name, Thousands(g.late), Thousands(g.paced), lengthText(g.lateMax))
		}
	}
	x.passf("%s of %s operations sent late", Thousands(late), Thousands(all))
}

// lag tests the scheduler's lag against the figure that it could distort: the p99 of all good operations.
func (x *examination) lag() {
	var good latency.Histogram
	for s := range x.phase.totals.all {
		times := s.Response
		if x.phase.mixed() {
			times = s.Service
		}
		if s.Key.PartOf == "" && Good(s.Key.Outcome) && good.Merge(times) != nil {
			return
		}
	}
	if x.lagKnown = good.Supports(0.99); !x.lagKnown {
		return
	}
	p99 := time.Duration(good.Quantile(0.99))
	limit := max(lagFloor, time.Duration(lagShare*float64(p99)))
	var most time.Duration
	for _, name := range x.phase.agentNames() {
		g := x.phase.generators[name]
		most = max(most, g.lagP99)
		steps, bad := g.steps(), func(s *health) bool { return s.lagP99 > limit }
		x.test(ClientTest{
			Agents: []string{name}, CPUs: x.cpus[name], Own: x.own[name], Resource: ClientScheduler,
			Value: milliseconds(g.lagP99), Limit: milliseconds(limit),
		}, steps, bad)
		long := stretches(steps, x.shortest(), bad)
		if len(long) > 0 {
			x.findf("agent %s: scheduler lag p99 of %s %s, where the operations' p99 is %s",
				name, lengthText(long[0].lagP99), long.text(), lengthText(p99))
		}
	}
	x.passf("scheduler lag p99 at most %s", lengthText(most))
}

func (x *examination) pauses() {
	for _, name := range x.phase.agentNames() {
		g := x.phase.generators[name]
		steps, bad := g.steps(), func(s *health) bool { return float64(s.pauses) > pauseShare*float64(s.end-s.start) }
		if g.elapsed > 0 {
			x.test(ClientTest{
				Agents: []string{name}, Resource: ClientPauses, Value: 100 * g.pauseSum.Seconds() / g.elapsed, Limit: 100 * pauseShare,
			}, steps, bad)
		}
		long := stretches(steps, x.shortest(), bad)
		if len(long) > 0 {
			share := float64(long[0].pauses) / float64(long[0].end-long[0].start)
			x.findf("agent %s: stopped for garbage collection for %s of the time %s", name, percentText(share), long.text())
		}
	}
}

// net tests the use of the agents' network interfaces relative to their speed, where that is known.
func (x *examination) net() {
	most, whose := 0.0, ""
	for _, name := range x.phase.agentNames() {
		g := x.phase.generators[name]
		if g.netUse > most {
			most, whose = g.netUse, name
		}
		steps, bad := g.steps(), func(s *health) bool { return s.netSeconds > 0 && s.netUse/s.netSeconds > netCeiling }
		if g.netUse > 0 {
			x.test(ClientTest{
				Agents: []string{name}, Resource: ClientNetwork, Value: 100 * meanUse(steps), Limit: 100 * netCeiling,
			}, steps, bad)
		}
		long := stretches(steps, x.shortest(), bad)
		if len(long) > 0 {
			x.findf("agent %s: network interface at %s of its speed %s", name, percentText(long[0].netUse/long[0].netSeconds), long.text())
		}
	}
	if x.netKnown = whose != ""; x.netKnown {
		x.passf("network interfaces at most at %s of their speed (agent %s)", percentText(most), whose)
	}
}

func (x *examination) findf(format string, args ...any) {
	x.found = append(x.found, fmt.Sprintf(format, args...))
}

func (x *examination) passf(format string, args ...any) {
	x.fine = append(x.fine, fmt.Sprintf(format, args...))
}

// stretchList are stretches of one kind, the longest first.
type stretchList []health

// stretches are the sequences of bad steps that last at least as long as shortest.
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
		now.netUse += s.netUse
		now.netSeconds += s.netSeconds
		now.lagP99 = max(now.lagP99, s.lagP99)
	}
	finish()
	slices.SortStableFunc(out, func(a, b health) int { return cmp.Compare(b.end-b.start, a.end-a.start) })
	return out
}

// text describes the longest stretch, and counts the others.
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
