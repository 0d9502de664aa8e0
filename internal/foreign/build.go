package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// run makes the result of everything that was read.
func (r *reader) run() (result.Run, error) {
	run := result.Run{
		Schema: result.Schema, Kind: "run", Status: result.Complete, Missing: []string{}, Resolved: r.properties, Tags: map[string]string{},
		Reconcile: result.Reconcile{Unknown: true}, Verdicts: []result.Verdict{}, Phases: []result.Phase{},
		Provenance: result.Provenance{Target: map[string]string{}, Agents: []result.Agent{}},
	}
	program, loop, err := r.measuredBy()
	if err != nil {
		return run, err
	}
	parts, err := r.phases()
	if err != nil {
		return run, err
	}
	clocks := r.latency()
	for _, name := range []string{"load", "warmup", "measure"} {
		part := parts[name]
		if part == nil {
			continue
		}
		part.clocks = clocks
		phase, err := part.phase(r)
		if err != nil {
			return run, err
		}
		phase.Loop = loop
		run.Phases = append(run.Phases, phase)
	}
	run.Provenance.Foreign = &result.Foreign{Program: program, Version: r.version, Latency: clocks, Stated: r.said(), Files: r.files}
	run.Warnings = r.warnings
	return run, nil
}

// measuredBy returns the program that measured, and its loop.
func (r *reader) measuredBy() (program, loop string, err error) {
	for _, l := range r.logs {
		r.ycsb, r.own = r.ycsb || l.ycsb, r.own || l.own
	}
	loop = cmp.Or(r.stated.Loop, result.UnknownLoop)
	switch {
	case r.ycsb && r.own:
		return "", "", errors.New("some files are of YCSB and some of benchd: give the files of one run")
	case r.own:
		return "benchd", loop, nil
	case r.ycsb || len(r.written) > 0 || len(r.status) > 0:
		if r.stated.Loop == "open" {
			return "", "", errors.New("--loop open: YCSB has a closed loop only, also with -target")
		}
		return "YCSB", "closed", nil
	}
	return "", loop, nil
}

// said are the statements of the user that were used.
func (r *reader) said() []string {
	out := []string{}
	for _, s := range []struct{ what, value string }{{"loop", r.stated.Loop}, {"phase", r.stated.Phase}} {
		if s.value != "" {
			out = append(out, s.what+" "+s.value)
		}
	}
	if r.stated.Unit != 0 {
		out = append(out, "unit "+r.stated.Unit.String())
	}
	return out
}

// latency returns which latencies the files contain.
func (r *reader) latency() string {
	service, response := false, false
	for _, s := range r.written {
		for name := range s.measures {
			response = response || strings.HasPrefix(name, intended)
			service = service || !strings.HasPrefix(name, intended)
		}
	}
	plain := false
	for _, l := range r.logs {
		switch {
		case l.nanoseconds():
			for _, iv := range l.intervals {
				service, response = service || iv.tag == serviceTag, response || iv.tag == ""
			}
		case strings.HasPrefix(l.subject.measure, intended):
			response = true
		default:
			service, plain = true, plain || !l.ycsb && !l.own
		}
	}
	switch {
	case response && service:
		return result.BothLatencies
	case response, r.properties["measurement.interval"] == "intended", plain && r.stated.Loop == "open":
		return result.ResponseLatency
	}
	if service && r.properties["measurement.interval"] == "" && (len(r.loads) == 0 || r.unread) {
		r.warn("no file has the property measurement.interval: the latencies are taken for service times, as of its default, op")
	}
	return result.ServiceLatency
}

// nanoseconds reports whether a log has the form of benchd's report, with both clocks in one file.
func (l *logFile) nanoseconds() bool { return l.own && l.unit == time.Nanosecond }

const serviceTag = "service"

// part is what the files contain about a phase.
type part struct {
	name   string
	clocks string
	sheet  *sheet // of YCSB's text and logs; nil without them
	logs   []*logFile
	status []statusLine
}

// phases gives everything to the phases that it is about.
func (r *reader) phases() (map[string]*part, error) {
	parts := make(map[string]*part)
	get := func(name string) *part {
		if parts[name] == nil {
			parts[name] = &part{name: name}
		}
		return parts[name]
	}
	segments := splitStatus(r.status)
	for i, s := range r.written {
		name := r.phaseOf(i, s)
		p := get(name)
		if p.sheet != nil {
			return nil, fmt.Errorf("there are two results of the phase %s: give the files of one run", name)
		}
		p.sheet = s
		if len(segments) == len(r.written) {
			p.status = segments[i]
		}
	}
	if len(segments) > 0 && len(segments) != len(r.written) {
		r.warn("the status lines are left out: they are of %d results, and there are %d", len(segments), len(r.written))
	}
	runs := make(map[string]bool)
	var unnamed []*logFile
	for _, l := range r.logs {
		if l.subject.phase == "" {
			unnamed = append(unnamed, l)
			continue
		}
		if runs[l.subject.run] = true; len(runs) > 1 {
			return nil, fmt.Errorf("the logs are of several runs (%s): give the files of one run", strings.Join(slices.Sorted(maps.Keys(runs)), ", "))
		}
		p := get(l.subject.phase)
		p.logs = append(p.logs, l)
	}
	if len(unnamed) > 0 {
		name := r.phaseOfLogs(unnamed)
		if len(parts) == 1 {
			name = slices.Collect(maps.Keys(parts))[0]
		} else if len(parts) > 1 {
			return nil, fmt.Errorf("%s does not name its phase, and there are %d: give the files of one phase", unnamed[0].name, len(parts))
		}
		p := get(name)
		p.logs = append(p.logs, unnamed...)
	}
	if len(parts) == 0 {
		return nil, errors.New("there are status lines and no figures of a result: did the program end?")
	}
	return parts, nil
}

// splitStatus splits status lines where their count begins again.
func splitStatus(lines []statusLine) (out [][]statusLine) {
	for i, line := range lines {
		if i == 0 || line.ops < lines[i-1].ops || line.at.Before(lines[i-1].at) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], line)
	}
	return out
}

func (r *reader) phaseOf(i int, s *sheet) string {
	switch {
	case r.stated.Phase != "" && len(r.written) == 1:
		return r.stated.Phase
	case len(r.loads) == len(r.written):
		if r.loads[i] {
			return "load"
		}
		return "measure"
	}
	return r.guess(s.order)
}

func (r *reader) phaseOfLogs(logs []*logFile) string {
	if r.stated.Phase != "" {
		return r.stated.Phase
	}
	names := make([]string, len(logs))
	for i, l := range logs {
		names[i] = l.subject.measure
	}
	return r.guess(names)
}

// guess takes a phase with inserts alone for a load.
func (r *reader) guess(names []string) string {
	inserts := false
	for _, name := range names {
		switch op, _ := operationOf(strings.TrimPrefix(name, intended)); op {
		case "INSERT":
			inserts = true
		case "CLEANUP":
		default:
			return "measure"
		}
	}
	if !inserts {
		return "measure"
	}
	r.warn("no file names the phase: it is taken for a load, because it has inserts alone; state it with --phase")
	return "load"
}

// addLogs adds the histograms of YCSB's logs to the sheet.
func (p *part) addLogs() error {
	for _, l := range p.logs {
		if l.nanoseconds() {
			continue
		}
		if p.sheet == nil {
			p.sheet = newSheet()
		}
		m, err := p.sheet.measure(l.subject.measure)
		if err != nil {
			return err
		}
		lists := make([][]latency.Bucket, len(l.intervals))
		for i, iv := range l.intervals {
			if lists[i], err = inNanoseconds(iv.times, l.unit); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
		}
		merged, err := merge(lists...)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		switch {
		case m.exactly != nil && m.exactly.count() != merged.count():
			return fmt.Errorf("%s: %s has %d operations here and %d in another file: give the files of one run", l.name, l.subject.measure, merged.count(), m.exactly.count())
		case m.count != nil && *m.count != merged.count():
			return fmt.Errorf("%s: %s has %d operations here and %d in another file: give the files of one run", l.name, l.subject.measure, merged.count(), *m.count)
		}
		m.exactly = merged
	}
	return nil
}

// inNanoseconds converts buckets. A time of a whole unit stands for itself, as YCSB truncates it.
func inNanoseconds(list []latency.Bucket, unit time.Duration) ([]latency.Bucket, error) {
	out := make([]latency.Bucket, len(list))
	for i, b := range list {
		if b.High > int64(maxMicros)*1000/int64(unit) {
			return nil, fmt.Errorf("a time of %d %s: at most %g s are read", b.High, unit, maxMicros/1e6)
		}
		out[i] = latency.Bucket{Low: b.Low * int64(unit), High: b.High * int64(unit), Count: b.Count}
	}
	return out, nil
}

// extent is from the first interval of the logs to the last, in seconds; 0 without logs.
func (p *part) extent() (begin, end float64) {
	begin, end = math.Inf(1), math.Inf(-1)
	for _, l := range p.logs {
		for _, iv := range l.intervals {
			begin, end = min(begin, l.at(iv.begin)), max(end, l.at(iv.end))
		}
	}
	if begin >= end {
		return 0, 0
	}
	return begin, end
}

// at is an instant of a log in seconds since 1970: logs count from their start, or from 1970 as well.
func (l *logFile) at(t float64) float64 {
	if t >= l.start {
		return t
	}
	return l.start + t
}

func thousands(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
