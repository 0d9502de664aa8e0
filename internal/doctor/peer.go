package doctor

import (
	"fmt"
	"math"
	"time"
)

// Peer is a coordinator as it answered.
type Peer struct {
	Address  string
	Version  string
	Protocol uint32
	Took     time.Duration // the quickest answer
	Clock    ClockOffset   // of the coordinator's clock

	Disk    Space // of its archive; no Total where it is not known
	Archive uint64
	Stuck   bool // the archive takes no windows
}

// ClockOffset is by how much a clock is ahead of another one.
type ClockOffset struct {
	Offset, Uncertainty time.Duration
	DriftPPM            float64
}

const (
	// farOff is an offset that only clocks have that nobody keeps.
	farOff = 100 * time.Millisecond
	// unsure is more than agents in one network should be apart at a run's start.
	unsure = 5 * time.Millisecond
)

func judgeOffset(name string, c ClockOffset, than string) Finding {
	f := found(name, "%+.3f ± %.3f ms to %s", ms(c.Offset), ms(c.Uncertainty), than)
	switch {
	case c.Uncertainty > unsure:
		return f.but(Warn, "find out why answers take so long (a network far away, a busy machine): agents start together to within the uncertainty only")
	case c.Offset > farOff || c.Offset < -farOff:
		return f.but(Warn, "synchronize both machines with the same time servers: benchd allows for the offset, but the times in logs cannot be compared")
	}
	return f
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func judgeVersion(name, theirs, ours, whose string) Finding {
	f := found(name, "%s, like %s", theirs, whose)
	if theirs != ours {
		f.Found = fmt.Sprintf("%s; %s is %s", theirs, whose, ours)
		return f.but(Warn, "install the same release on both: builds of one protocol work together, but may measure differently")
	}
	return f
}

// Unreachable is the finding on a coordinator that did not answer; err says why, and what to do about it.
func Unreachable(address string, err error) Finding {
	return found(nameCoordinator, "%v", err).
		but(Bad, fmt.Sprintf("start `benchd coordinator`, have a firewall let TCP pass to %s, or give another address with --coordinator", address)).at(address)
}

// Unanswered is the finding on a coordinator of an older build, which reports nothing about itself.
func Unanswered(address string) Finding {
	return found(nameCoordinator, "answers, and is too old to tell of itself").
		but(Unknown, "install the same release on both to learn more").at(address)
}

// Examine checks a coordinator's answer; version and protocol are those of this program.
func (p Peer) Examine(version string, protocol uint32) []Finding {
	findings := []Finding{
		found(nameCoordinator, "answers within %s", round(p.Took)).at(p.Address),
		judgeVersion("version", p.Version, version, "this program").at("coordinator"),
	}
	if p.Protocol != protocol {
		findings[1] = found("version", "%s speaks protocol %d, this program (%s) speaks %d", p.Version, p.Protocol, version, protocol).
			but(Bad, "install the same release on both").at("coordinator")
	}
	return append(findings, judgeOffset("clock_offset", p.Clock, "this machine's clock").at("coordinator"))
}

// ExamineArchive checks what the coordinator reports about its archive.
func (p Peer) ExamineArchive() []Finding {
	state := found("archive", "%s, takes windows", bytesOf(p.Archive)).at("coordinator")
	if p.Stuck {
		state.Found = bytesOf(p.Archive) + ", takes no windows"
		state = state.but(Bad, "look into the coordinator's log, free space on its disk, and let its user write there: until then agents keep what they measure")
	}
	if p.Disk.Total == 0 {
		return []Finding{state}
	}
	disk := judgeSpace(p.Disk, Folder{Flag: "--data of `benchd coordinator`"})
	disk.Name = "disk"
	return []Finding{state, disk.at("coordinator")}
}

// Member is an agent as the coordinator's roster has it.
type Member struct {
	Name      string
	Version   string
	Hostname  string
	Connected bool
	Draining  bool
	Silent    time.Duration // since it was last heard
	Clock     ClockOffset
}

// quiet is longer than an agent that is well is silent: it is probed every second.
const quiet = 5 * time.Second

// ExamineRoster checks a coordinator's agents; version is the coordinator's.
func ExamineRoster(members []Member, version string) []Finding {
	connected := 0
	hosts := make(map[string][]string)
	var findings []Finding
	for _, m := range members {
		if m.Connected {
			connected++
			hosts[m.Hostname] = append(hosts[m.Hostname], m.Name)
		}
	}
	f := found(nameAgents, "%d connected", connected)
	if connected == 0 {
		f = f.but(Bad, "start some with `benchd agent --coordinator HOST:PORT`: without them nothing can be run")
	}
	findings = append(findings, f)
	for _, m := range members {
		for _, f := range m.examine(version, hosts[m.Hostname]) {
			f.Agent = m.Name
			findings = append(findings, f)
		}
	}
	return findings
}

func (m Member) examine(version string, neighbours []string) []Finding {
	if !m.Connected {
		return []Finding{found("connection", "none for %s", m.Silent.Round(time.Second)).
			but(Warn, "look whether its process lives and reaches the coordinator; one that does not come back is forgotten after ten minutes")}
	}
	connection := found("connection", "heard of %s ago", m.Silent.Round(time.Millisecond))
	switch {
	case m.Silent > quiet:
		connection = connection.but(Warn, "look at its machine and the network between: an agent that is well answers every second")
	case m.Draining:
		connection.Found += ", drained"
		connection = connection.but(Warn, fmt.Sprintf("give it runs again with `benchctl agents drain %s --undo`", m.Name))
	}
	findings := []Finding{
		connection,
		judgeVersion("version", m.Version, version, "the coordinator"),
		judgeOffset("clock_offset", m.Clock, "the coordinator's clock"),
	}
	if drift := math.Abs(m.Clock.DriftPPM); drift > fastDrift {
		findings = append(findings, found("clock_drift", "%+.0f ppm", m.Clock.DriftPPM).
			but(Warn, "synchronize its clock: benchd follows a drift, but one so large is of a clock that is being set or of a machine that is paused"))
	}
	if len(neighbours) > 1 && m.Hostname != "" {
		findings = append(findings, found("host", "%s, with %d agents on it", m.Hostname, len(neighbours)).
			but(Warn, "run one agent on each machine: those that share one compete, and two of them measure no more than one"))
	}
	return findings
}

// fastDrift is more than clocks drift by themselves or are steered by.
const fastDrift = 200
