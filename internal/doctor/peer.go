package doctor

import (
	"fmt"
	"math"
	"time"
)

// Peer is a coordinator's answer about itself.
type Peer struct {
	Address  string
	Version  string
	Protocol uint32
	Took     time.Duration // the quickest answer
	Clock    ClockOffset   // of the coordinator's clock

	Disk    Space // of its archive; Total is 0 if unknown
	Archive uint64
	Stuck   bool // the archive accepts no windows

	Listeners []Listener
	Expires   time.Time // when its certificates expire; zero without some
}

// Listener is how a coordinator describes one of its listeners.
type Listener struct {
	Text string
	Open bool // everyone on the network can read and control it
}

// ClockOffset is how far a clock is ahead of another one.
type ClockOffset struct {
	Offset, Uncertainty time.Duration
	DriftPPM            float64
}

const (
	// farOff is an offset that only unsynchronized clocks have.
	farOff = 100 * time.Millisecond
	// unsure is more than the acceptable skew of agents in one network at a run's start.
	unsure = 5 * time.Millisecond
)

func checkOffset(name string, c ClockOffset, than string) Finding {
	f := found(name, "%+.3f ± %.3f ms to %s", ms(c.Offset), ms(c.Uncertainty), than)
	switch {
	case c.Uncertainty > unsure:
		return f.but(Warn, "check why answers take so long (a distant network, a busy machine): agents start together only within this uncertainty")
	case c.Offset > farOff || c.Offset < -farOff:
		return f.but(Warn, "synchronize both machines with the same time servers: benchd corrects for the offset, but times in logs are not comparable")
	}
	return f
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func checkVersion(name, theirs, ours, whose string) Finding {
	f := found(name, "%s, like %s", theirs, whose)
	if theirs != ours {
		f.Found = fmt.Sprintf("%s; %s is %s", theirs, whose, ours)
		return f.but(Warn, "install the same release on both: builds of one protocol work together, but may measure differently")
	}
	return f
}

// Unreachable is the finding on a coordinator that did not answer; err has the reason and the cure.
func Unreachable(address string, err error) Finding {
	return found(nameCoordinator, "%v", err).
		but(Bad, fmt.Sprintf("start `benchd coordinator`, open TCP to %s in the firewall, or set another address with --coordinator", address)).at(address)
}

// Unanswered is the finding on a coordinator of an older build, which reports nothing about itself.
func Unanswered(address string) Finding {
	return found(nameCoordinator, "answers, but is too old to report its state").
		but(Unknown, "install the same release on both for more checks").at(address)
}

// Unasked is the finding on a coordinator that was not asked, because the own certificates cannot be used.
func Unasked(address string) Finding {
	return found(nameCoordinator, "not asked: the certificates of this program cannot be used").
		but(Unknown, "see the finding on the certificate").at(address)
}

// Examine checks a coordinator's answer; version and protocol are those of this program.
func (p Peer) Examine(version string, protocol uint32) []Finding {
	findings := []Finding{
		found(nameCoordinator, "answers within %s", round(p.Took)).at(p.Address),
		checkVersion("version", p.Version, version, "this program").at("coordinator"),
	}
	if p.Protocol != protocol {
		findings[1] = found("version", "%s speaks protocol %d, this program (%s) speaks %d", p.Version, p.Protocol, version, protocol).
			but(Bad, "install the same release on both").at("coordinator")
	}
	findings = append(findings, checkOffset("clock_offset", p.Clock, "this machine's clock").at("coordinator"))
	return append(findings, p.examineSecurity(today())...)
}

// ExamineArchive checks what the coordinator reports about its archive.
func (p Peer) ExamineArchive() []Finding {
	state := found("archive", "%s, accepts windows", bytesOf(p.Archive)).at("coordinator")
	if p.Stuck {
		state.Found = bytesOf(p.Archive) + ", accepts no windows"
		state = state.but(Bad, "read the coordinator's log, free space on its disk, and let its user write there: until then agents keep their windows")
	}
	if p.Disk.Total == 0 {
		return []Finding{state}
	}
	disk := checkSpace(p.Disk, Folder{Flag: "--data of `benchd coordinator`"})
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
	Silent    time.Duration // since its last message
	Clock     ClockOffset
}

// quiet is longer than a healthy agent is silent: it is probed every second.
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
		f = f.but(Bad, "start some with `benchd agent --coordinator HOST:PORT`: runs need at least one")
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
			but(Warn, "check that its process is running and reaches the coordinator; an agent that does not return is forgotten after ten minutes")}
	}
	connection := found("connection", "last message %s ago", m.Silent.Round(time.Millisecond))
	switch {
	case m.Silent > quiet:
		connection = connection.but(Warn, "check its machine and the network in between: a healthy agent answers every second")
	case m.Draining:
		connection.Found += ", drained"
		connection = connection.but(Warn, fmt.Sprintf("give it runs again with `benchctl agents drain %s --undo`", m.Name))
	}
	findings := []Finding{
		connection,
		checkVersion("version", m.Version, version, "the coordinator"),
		checkOffset("clock_offset", m.Clock, "the coordinator's clock"),
	}
	if drift := math.Abs(m.Clock.DriftPPM); drift > fastDrift {
		findings = append(findings, found("clock_drift", "%+.0f ppm", m.Clock.DriftPPM).
			but(Warn, "synchronize its clock: benchd follows a drift, but such a large one means that the clock is being set or the machine paused"))
	}
	if len(neighbours) > 1 && m.Hostname != "" {
		findings = append(findings, found("host", "%s, with %d agents on it", m.Hostname, len(neighbours)).
			but(Warn, "run one agent on each machine: agents that share one compete for it, and measure no more than a single one"))
	}
	return findings
}

// fastDrift is more than the natural drift of clocks and their adjustment.
const fastDrift = 200
