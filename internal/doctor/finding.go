package doctor

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Verdict is the severity of a finding.
type Verdict string

// The verdicts, from the best to the worst.
const (
	OK      Verdict = "ok"
	Unknown Verdict = "unknown" // it cannot be determined here
	Warn    Verdict = "warn"    // it may distort figures
	Bad     Verdict = "bad"     // benchd does not work, or figures are useless
)

// rank orders verdicts.
func (v Verdict) rank() int {
	switch v {
	case OK:
		return 0
	case Unknown:
		return 1
	case Warn:
		return 2
	case Bad:
	}
	return 3
}

// The names of findings on whether something can be reached.
const (
	namePort        = "port"
	nameCoordinator = "coordinator"
	nameTarget      = "target"
	nameAgents      = "agents"
)

// nameIdle is the name of the finding that a current run explains.
const nameIdle = "cpu_idle"

// Finding is the result of one check.
type Finding struct {
	Name    string  `json:"name"`            // the name of the check, such as cpu_governor
	Agent   string  `json:"agent,omitempty"` // on whose machine; empty for this one, and for the coordinator's
	On      string  `json:"on,omitempty"`    // at which of several, such as eth0
	Found   string  `json:"found"`
	Verdict Verdict `json:"verdict"`
	Cure    string  `json:"cure,omitempty"` // empty if there is nothing to fix
}

func found(name, format string, args ...any) Finding {
	return Finding{Name: name, Found: fmt.Sprintf(format, args...), Verdict: OK}
}

// but makes it worse.
func (f Finding) but(v Verdict, cure string) Finding {
	f.Verdict, f.Cure = v, cure
	return f
}

func (f Finding) at(on string) Finding {
	f.On = on
	return f
}

// unknown is the finding on a value that could not be read.
func unknown(name string, err error, cure string) Finding {
	return found(name, "unknown: %v", err).but(Unknown, cure)
}

// subject is what the finding is about, in a word or two.
func (f Finding) subject() string {
	s := f.Name
	if f.On != "" {
		s += " " + f.On
	}
	if f.Agent != "" {
		s = f.Agent + ": " + s
	}
	return s
}

// Report contains all findings. Its JSON is a contract: fields are only ever added.
type Report struct {
	Schema   int       `json:"schema"`
	Kind     string    `json:"kind"`
	Version  string    `json:"version"` // of the program that ran the checks
	Verdict  Verdict   `json:"verdict"` // the worst
	Findings []Finding `json:"findings"`
}

// NewReport returns the report of findings, with the worst of their verdicts.
func NewReport(version string, findings []Finding) Report {
	r := Report{Schema: 1, Kind: "doctor", Version: version, Verdict: OK, Findings: findings}
	for _, f := range findings {
		if f.Verdict.rank() > r.Verdict.rank() {
			r.Verdict = f.Verdict
		}
	}
	return r
}

// OutOfReach reports whether a bad finding means that something cannot be reached or used, such as a coordinator, a target
// or a port.
func (r Report) OutOfReach() bool {
	for _, f := range r.Findings {
		if f.Verdict != Bad {
			continue
		}
		switch f.Name {
		case namePort, nameCoordinator, nameTarget, nameAgents:
			return true
		}
	}
	return false
}

// plain keeps text from other machines on its line.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// Text prints the report for people, each cure below its finding.
func (r Report) Text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	counts := make(map[Verdict]int)
	for _, f := range r.Findings {
		counts[f.Verdict]++
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", f.Verdict, plain(f.subject()), plain(f.Found))
		if f.Cure != "" {
			_, _ = fmt.Fprintf(t, "\t\t→ %s\n", plain(f.Cure))
		}
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	var sums []string
	for _, v := range []Verdict{Bad, Warn, Unknown, OK} {
		if n := counts[v]; n > 0 {
			sums = append(sums, fmt.Sprintf("%d %s", n, v))
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", strings.Join(sums, ", "))
	if err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	return nil
}
