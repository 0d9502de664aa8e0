package search

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/suggest"
)

// maxTerms and maxObjective bound an objective that somebody submits.
const (
	maxTerms     = 32
	maxObjective = 4096
)

var (
	conjunction = regexp.MustCompile(`(?i)\s+and\s+|\s*,\s*`)
	termForm    = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9.]*)\s*(?:\(\s*([A-Za-z][A-Za-z_-]*)\s*\))?\s*(<=|>=|<|>)\s*(\S.*)$`)
	rateForm    = regexp.MustCompile(`^([0-9.]+)\s*([kKM]?)(?:\s*(?:ops)?/s)?$`)
)

// ParseObjective reads terms that are joined by "and" or by commas:
//
//	p99(READ) < 10ms and errors < 0.1% and throughput > 5000
//
// A latency (mean, p50 … p99.99, max) has a limit with a unit, errors have one in percent, and throughput has a lower one. A
// latency or errors without an operation in parentheses hold for each operation.
func ParseObjective(text string) (Objective, error) {
	if len(text) > maxObjective {
		return Objective{}, fmt.Errorf("objective has %d characters: at most %d are possible", len(text), maxObjective)
	}
	if strings.TrimSpace(text) == "" {
		return Objective{}, errors.New("objective is empty: want terms such as p99(READ) < 10ms and errors < 0.1%")
	}
	parts := conjunction.Split(strings.TrimSpace(text), -1)
	if len(parts) > maxTerms {
		return Objective{}, fmt.Errorf("objective has %d terms: at most %d are possible", len(parts), maxTerms)
	}
	var o Objective
	for i, part := range parts {
		term, err := parseTerm(strings.TrimSpace(part))
		if err != nil {
			return Objective{}, fmt.Errorf("term %d of the objective, %q: %w", i+1, part, err)
		}
		o.terms = append(o.terms, term)
	}
	return o, nil
}

func parseTerm(text string) (Term, error) {
	m := termForm.FindStringSubmatch(text)
	if m == nil {
		return Term{}, errors.New("want FIGURE(OPERATION) < LIMIT, such as p99(READ) < 10ms, errors < 0.1% or throughput > 5000")
	}
	figure, err := parseFigure(m[1])
	if err != nil {
		return Term{}, err
	}
	t := Term{Figure: figure, Op: strings.ToUpper(m[2]), AtLeast: m[3][0] == '>', Inclusive: len(m[3]) == 2}
	switch {
	case figure == Throughput && !t.AtLeast:
		return Term{}, fmt.Errorf("invalid %s: a throughput has a lower limit, such as throughput > 5000", m[3])
	case figure == Throughput && t.Op != "":
		return Term{}, fmt.Errorf("invalid operation %s: a throughput is that of all operations; write throughput %s %s", m[2], m[3], m[4])
	case figure != Throughput && t.AtLeast:
		return Term{}, fmt.Errorf("invalid %s: %s has an upper limit; write <", m[3], figure)
	}
	limit := strings.TrimSpace(m[4])
	var written string
	switch figure {
	case Throughput:
		t.Limit, written, err = parseThroughput(limit)
	case Errors:
		t.Limit, written, err = parseShare(limit)
	default:
		t.Limit, written, err = parseLatency(limit)
	}
	if err != nil {
		return Term{}, err
	}
	if !t.AtLeast && !t.Inclusive && t.Limit == 0 {
		return Term{}, fmt.Errorf("nothing is below 0: write %s <= 0", figure)
	}
	t.text = string(figure)
	if t.Op != "" {
		t.text += "(" + t.Op + ")"
	}
	t.text += " " + m[3] + " " + written
	return t, nil
}

// parseFigure also reads the names of YCSB and of columns: avg, p999.
func parseFigure(text string) (Figure, error) {
	name := strings.ToLower(text)
	switch name {
	case "avg", "average":
		return Mean, nil
	case "p999":
		return P999, nil
	case "p9999":
		return P9999, nil
	case "error":
		return Errors, nil
	}
	var names []string
	for _, f := range Figures() {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	if near := suggest.Nearest(name, names); near != "" {
		return "", fmt.Errorf("unknown figure %q: did you mean %s? Figures are %s", text, near, strings.Join(names, ", "))
	}
	return "", fmt.Errorf("unknown figure %q: figures are %s", text, strings.Join(names, ", "))
}

func parseLatency(text string) (us float64, written string, err error) {
	plain := strings.ReplaceAll(text, " ", "")
	d, err := time.ParseDuration(plain)
	if err != nil || d < 0 || d > time.Hour {
		return 0, "", fmt.Errorf("invalid latency %q: want a number with a unit (us, ms or s) up to an hour, such as 800us or 1.5ms", text)
	}
	return float64(d) / float64(time.Microsecond), strings.ReplaceAll(plain, "us", "µs"), nil
}

func parseShare(text string) (share float64, written string, err error) {
	number, percent := strings.CutSuffix(text, "%")
	number = strings.TrimSpace(number)
	p, err := strconv.ParseFloat(number, 64)
	if err != nil || !(p >= 0 && p <= 100) || !percent && p != 0 {
		return 0, "", fmt.Errorf("invalid share %q: want a percentage, such as 0.1%%", text)
	}
	return p / 100, number + "%", nil
}

func parseThroughput(text string) (perSecond float64, written string, err error) {
	m := rateForm.FindStringSubmatch(text)
	if m == nil {
		return 0, "", invalidThroughput(text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	n *= map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6}[m[2]]
	if err != nil || math.IsInf(n, 0) {
		return 0, "", invalidThroughput(text)
	}
	return n, strconv.FormatFloat(n, 'f', -1, 64), nil
}

func invalidThroughput(text string) error {
	return fmt.Errorf("invalid throughput %q: want operations per second, such as 500 or 20k", text)
}
