package foreign

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/benchd/benchd/internal/latency"
	"github.com/benchd/benchd/internal/result"
)

// Check validates a foreign result, also one that another coordinator exported.
func Check(run *result.Run) error {
	f := run.Provenance.Foreign
	switch {
	case f == nil:
		return errors.New("it is not marked as foreign")
	case run.Status != result.Complete || !reflect.DeepEqual(run.Reconcile, result.Reconcile{Unknown: true}) || len(run.Verdicts) > 0 || run.Start != nil ||
		len(run.Provenance.Agents) > 0 || len(run.Missing) > 0 || run.RowGap != nil:
		return errors.New("it has verdicts, agents or counts, which a foreign result does not have")
	case !slices.Contains([]string{result.ServiceLatency, result.ResponseLatency, result.BothLatencies}, f.Latency):
		return fmt.Errorf("unknown latency %q", clean(f.Latency))
	case len(f.Files) == 0 || len(f.Files) > MaxFiles || len(f.Stated) > 8:
		return fmt.Errorf("it was made from %d files: want 1 to %d", len(f.Files), MaxFiles)
	case len(run.Phases) == 0 || len(run.Phases) > 3:
		return fmt.Errorf("it has %d phases: want 1 to 3", len(run.Phases))
	case len(run.Warnings) > maxWarnings || len(run.Resolved) > maxMeasures || len(run.Provenance.Target) > maxMeasures:
		return errors.New("it has more warnings or properties than are allowed")
	}
	texts := append([]string{f.Program, f.Version}, f.Stated...)
	for _, file := range f.Files {
		if file.Bytes < 0 || file.Bytes > MaxBytes {
			return fmt.Errorf("the file %s has %d bytes", clean(file.Name), file.Bytes)
		}
		texts = append(texts, file.Name, file.Format, file.SHA256)
	}
	for name, value := range run.Resolved {
		texts = append(texts, name, value)
	}
	for name, value := range run.Provenance.Target {
		texts = append(texts, name, value)
	}
	texts = append(texts, run.Warnings...)
	for _, text := range texts {
		if len(text) > 1<<10 || clean(text) != text {
			return fmt.Errorf("a text of it is too long or cannot be printed: %q", clean(text[:min(len(text), 80)]))
		}
	}
	seen := make(map[string]bool)
	for i := range run.Phases {
		p := &run.Phases[i]
		if seen[p.Name] {
			return fmt.Errorf("it has the phase %s twice", clean(p.Name))
		}
		seen[p.Name] = true
		if err := checkPhase(p); err != nil {
			return fmt.Errorf("phase %s: %w", clean(p.Name), err)
		}
	}
	return nil
}

func checkPhase(p *result.Phase) error {
	switch {
	case !slices.Contains([]string{"load", "warmup", "measure"}, p.Name):
		return errors.New("unknown phase")
	case !slices.Contains([]string{"open", "closed", result.UnknownLoop}, p.Loop):
		return fmt.Errorf("unknown loop %q", clean(p.Loop))
	case !(p.Seconds > 0 && p.Seconds <= maxSeconds) || !(p.Throughput >= 0 && p.Throughput <= 1e12) || p.Ops > maxCount:
		return fmt.Errorf("%d operations, %g a second, in %g s", p.Ops, p.Throughput, p.Seconds)
	case more(p) != "":
		return fmt.Errorf("it has %s, which a foreign result does not have", more(p))
	case len(p.Operations) > maxMeasures || len(p.Combined) > maxMeasures || len(p.Series) > maxPoints:
		return errors.New("it has more operations or points than are allowed")
	}
	for _, o := range p.Operations {
		if err := checkOperation(o.Op, o.Outcome, o.PartOf); err != nil {
			return err
		}
		if len(o.Agents) > 0 || o.Variance != 0 || o.Percentiles != nil {
			return fmt.Errorf("%s has more than an operation of a foreign result", o.Op)
		}
		if err := errors.Join(checkFigures(o.Op, &o.Figures), checkFigures(o.Op, &o.Service)); err != nil {
			return err
		}
	}
	for _, c := range p.Combined {
		if err := errors.Join(checkName(c.Name), checkFigures(c.Name, &c.Figures), checkFigures(c.Name, &c.Service)); err != nil {
			return err
		}
		if len(c.Returns) > maxMeasures {
			return fmt.Errorf("%s has %d outcomes", c.Name, len(c.Returns))
		}
		for outcome, n := range c.Returns {
			if err := checkName(outcome); err != nil || n > maxCount {
				return fmt.Errorf("%s has the outcome %q %d times", c.Name, clean(outcome), n)
			}
		}
	}
	return checkSeries(p.Series)
}

// more returns a field of a phase that only a result of benchd has; "" if it has none. New fields are among them.
func more(p *result.Phase) string {
	own := []string{"Name", "Loop", "Seconds", "Ops", "Throughput", "Operations", "Series", "Combined"}
	v := reflect.ValueOf(*p)
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		empty := field.IsZero() || (field.Kind() == reflect.Slice || field.Kind() == reflect.Map) && field.Len() == 0
		if !empty && !slices.Contains(own, name) {
			return name
		}
	}
	return ""
}

func checkOperation(op, outcome string, whole *string) error {
	if err := errors.Join(checkName(op), checkName(outcome)); err != nil {
		return err
	}
	if whole != nil {
		return checkName(*whole)
	}
	return nil
}

// checkFigures validates figures: finite, in order, and no percentile of too few samples.
func checkFigures(name string, f *result.Figures) error {
	if f.Count > maxCount || f.Overflow != 0 || len(f.Percentiles) > maxMeasures || !(f.Variance >= 0 && f.Variance <= maxMicros*maxMicros) {
		return fmt.Errorf("%s has %d samples and a variance of %g", name, f.Count, f.Variance)
	}
	for _, x := range []float64{f.Mean, f.Min, f.Max} {
		if !(x >= 0 && x <= maxMicros) {
			return fmt.Errorf("%s has a time of %g µs", name, x)
		}
	}
	// Minimum and maximum are rounded to whole microseconds and to buckets of three digits.
	low, high := f.Min*0.998-1, f.Max*1.002+1
	if f.Count > 0 && (f.Min > f.Max || f.Mean < low || f.Mean > high) {
		return fmt.Errorf("%s has a mean of %g µs, between %g and %g", name, f.Mean, f.Min, f.Max)
	}
	check := func(p float64, us *float64) error {
		if us == nil {
			return nil
		}
		if f.Count < latency.MinSamples(p/100) {
			return fmt.Errorf("%s has p%s of %d samples, which needs %d", name, result.PercentileName(p), f.Count, latency.MinSamples(p/100))
		}
		if !(*us >= low && *us <= high) {
			return fmt.Errorf("%s has p%s at %g µs: its times are from %g to %g", name, result.PercentileName(p), *us, f.Min, f.Max)
		}
		return nil
	}
	for p, us := range usualPercentiles(f) {
		if err := check(p, *us); err != nil {
			return err
		}
	}
	for text, us := range f.Percentiles {
		p, err := number(text, 100)
		if err != nil || result.PercentileName(p) != text {
			return fmt.Errorf("%s has the percentile %q", name, clean(text[:min(len(text), 40)]))
		}
		if err := check(p, us); err != nil {
			return err
		}
	}
	return nil
}

func checkSeries(points []result.Point) error {
	cells := 0
	for _, point := range points {
		cells += len(point.Operations)
		if !(point.T >= 0 && point.T <= maxSeconds) || !(point.Seconds > 0 && point.Seconds <= maxSeconds) || point.Ops > maxCount || len(point.Retries) > 0 || point.Tail {
			return fmt.Errorf("a point of its series is %d operations in %g s, from %g s", point.Ops, point.Seconds, point.T)
		}
		if len(point.Operations) > maxMeasures || cells > maxBuckets {
			return errors.New("its series has more operations than are allowed")
		}
		for _, o := range point.Operations {
			if err := checkOperation(o.Op, o.Outcome, o.PartOf); err != nil {
				return err
			}
			for _, x := range []float64{o.Mean, o.Max, o.ServiceMean} {
				if !(x >= 0 && x <= maxMicros) {
					return fmt.Errorf("%s has a time of %g µs", o.Op, x)
				}
			}
			for _, x := range []*float64{o.P50, o.P99} {
				if x != nil && !(*x >= 0 && *x <= maxMicros) {
					return fmt.Errorf("%s has a time of %g µs", o.Op, *x)
				}
			}
			if o.Count > maxCount {
				return fmt.Errorf("%s has %d samples", o.Op, o.Count)
			}
		}
	}
	return nil
}
