package result

import "fmt"

// The resources of a load generator that can be the limit.
const (
	ClientCPU       = "cpu"
	ClientScheduler = "scheduler"
	ClientPauses    = "gc"
	ClientNetwork   = "network"
	ClientTiming    = "timing"
)

// ClientTest is the test of one resource of one agent, or of the agents that share it, over a phase.
type ClientTest struct {
	Agents   []string
	Resource string
	Value    float64 // mean or, of the scheduler's lag, largest over the phase; in the unit of the resource
	Limit    float64
	Points   int     // windows
	Share    float64 // of the windows beyond the limit
	// CPUs are the processors that the agents may use, if not all of their machine, and Own is the share of the processors'
	// busy time that the agents' own processes used, negative if unknown: of the CPU and the scheduler.
	CPUs string
	Own  float64
}

// ClientResource is a tested resource of a load generator.
type ClientResource struct {
	Name, Title  string
	Figure, Unit string // of ClientTest's Value and Limit
	Threshold    string // of a window
}

// ClientResources lists the tested resources.
func ClientResources() []ClientResource {
	return []ClientResource{
		{
			Name: ClientCPU, Title: "CPU", Figure: "idle CPU", Unit: "percent",
			Threshold: "idle share of the processors that the agent may use below " + percentText(idleFloor),
		},
		{
			Name: ClientScheduler, Title: "scheduler", Figure: "scheduler lag p99", Unit: "ms",
			Threshold: fmt.Sprintf("scheduler lag p99 above %s and above %s of the operations' p99", lengthText(lagFloor), percentText(lagShare)),
		},
		{
			Name: ClientPauses, Title: "GC", Figure: "stop-the-world pauses", Unit: "percent",
			Threshold: "stop-the-world pauses for more than " + percentText(pauseShare) + " of the time",
		},
		{
			Name: ClientNetwork, Title: "network", Figure: "use of a network interface", Unit: "percent",
			Threshold: "a network interface above " + percentText(netCeiling) + " of its speed",
		},
		{
			Name: ClientTiming, Title: "timing", Figure: "operations sent late", Unit: "percent",
			Threshold: "more than " + percentText(lateMost) + " of the operations sent late although a worker was free",
		},
	}
}

// test completes a test with the windows that are beyond its limit.
func (x *examination) test(t ClientTest, steps []*health, bad func(*health) bool) {
	t.Points = len(steps)
	if t.Points == 0 {
		return
	}
	beyond := 0
	for _, s := range steps {
		if bad(s) {
			beyond++
		}
	}
	t.Share = float64(beyond) / float64(t.Points)
	x.tests = append(x.tests, t)
}

// meanUse is the mean use of the busiest network interface.
func meanUse(steps []*health) float64 {
	var use, seconds float64
	for _, s := range steps {
		use += s.netUse
		seconds += s.netSeconds
	}
	if seconds == 0 {
		return 0
	}
	return use / seconds
}
