package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/suggest"
)

// Selection is the part of a result that is compared; the zero value is all of it.
type Selection struct {
	Case string // the name of one case
	// Where are the target, and values of the matrix, that the cases have. The key of a target is TargetKey. Two sides with
	// the same keys are paired by what their cases have in common besides these.
	Where []plan.Setting
}

// TargetKey is the key by which a Selection names a target of a suite.
const TargetKey = "target"

// ParseSelection reads the part of a reference behind the name of the result: ":CASE", or "@TARGET" and "@KEY=VALUE" as
// often as wanted.
func ParseSelection(text string) (Selection, error) {
	if name, is := strings.CutPrefix(text, ":"); is {
		return Selection{Case: name}, nil
	}
	var s Selection
	for _, part := range strings.Split(text, "@")[1:] {
		key, value, pair := strings.Cut(part, "=")
		if !pair {
			key, value = TargetKey, part
		}
		if key == "" || value == "" {
			return s, fmt.Errorf("invalid selection %q: want @TARGET or @KEY=VALUE", "@"+part)
		}
		if slices.ContainsFunc(s.Where, func(w plan.Setting) bool { return w.Key == key }) {
			return s, fmt.Errorf("invalid selection %q: it names %s twice", text, key)
		}
		s.Where = append(s.Where, plan.Setting{Key: key, Value: value})
	}
	return s, nil
}

// String is the text that ParseSelection reads.
func (s Selection) String() string {
	if s.Case != "" {
		return ":" + s.Case
	}
	var b strings.Builder
	for _, w := range s.Where {
		if w.Key == TargetKey {
			b.WriteString("@" + w.Value)
		} else {
			b.WriteString("@" + w.Key + "=" + w.Value)
		}
	}
	return b.String()
}

// has reports whether a case is selected.
func (s Selection) has(c result.Case) bool {
	if s.Case != "" {
		return c.Name == s.Case
	}
	return !slices.ContainsFunc(s.Where, func(w plan.Setting) bool {
		value, _ := valueOf(c, w.Key)
		return value != w.Value
	})
}

// valueOf is the target of a case, or its value on an axis of the matrix.
func valueOf(c result.Case, key string) (string, bool) {
	if i := slices.IndexFunc(c.Axes, func(a plan.Setting) bool { return a.Key == key }); i >= 0 {
		return c.Axes[i].Value, true
	}
	return c.Target, key == TargetKey && c.Target != ""
}

// identity is what a case has besides the selected target and axes.
func identity(c result.Case, without []string) string {
	var b strings.Builder
	b.WriteString(cmp.Or(c.Scenario, c.Name))
	for _, a := range c.Axes {
		if !slices.Contains(without, a.Key) {
			b.WriteString(" " + a.Key + "=" + a.Value)
		}
	}
	if c.Target != "" && !slices.Contains(without, TargetKey) {
		b.WriteString(" on " + c.Target)
	}
	return b.String()
}

// selectedBy are the keys by which both sides were selected: their cases are paired without them.
func selectedBy(a, b Selection) []string {
	var keys []string
	for _, w := range a.Where {
		if slices.ContainsFunc(b.Where, func(o plan.Setting) bool { return o.Key == w.Key }) {
			keys = append(keys, w.Key)
		}
	}
	return keys
}

// NoCaseError reports that a result has nothing of what was selected.
type NoCaseError struct {
	Side  string // the reference of the result
	What  string // case, target, or the key of an axis
	Value string
	Have  []string // the values that there are
	Keys  []string // the keys that there are, where the result has no such key
}

// Error names what there is.
func (e *NoCaseError) Error() string {
	switch near := suggest.Nearest(e.Value, e.Have); {
	case len(e.Keys) > 0:
		return fmt.Sprintf("%s: no case has a value of %s in the suite's matrix (one of %s)", e.Side, e.What, strings.Join(e.Keys, ", "))
	case len(e.Have) == 0 && e.What == TargetKey:
		return fmt.Sprintf("%s: unknown target %q: its suite names no targets", e.Side, e.Value)
	case len(e.Have) == 0:
		return fmt.Sprintf("%s: it has no case to compare", e.Side)
	case near != "":
		return fmt.Sprintf("%s: unknown %s %q (did you mean %q?)", e.Side, e.What, e.Value, near)
	default:
		return fmt.Sprintf("%s: unknown %s %q (one of %s)", e.Side, e.What, e.Value, strings.Join(e.Have, ", "))
	}
}

// nothing explains why a selection has no case of some.
func (s Selection) nothing(side string, cases []result.Case) error {
	if len(s.Where) == 0 {
		e := &NoCaseError{Side: side, What: "case", Value: s.Case}
		for _, c := range cases {
			e.Have = append(e.Have, c.Name)
		}
		return e
	}
	for _, w := range s.Where {
		e := &NoCaseError{Side: side, What: w.Key, Value: w.Value}
		var keys []string
		for _, c := range cases {
			if value, known := valueOf(c, w.Key); known && !slices.Contains(e.Have, value) {
				e.Have = append(e.Have, value)
			}
			for _, a := range c.Axes {
				if !slices.Contains(keys, a.Key) {
					keys = append(keys, a.Key)
				}
			}
		}
		if len(e.Have) == 0 && w.Key != TargetKey {
			e.Keys = slices.Concat(keys, []string{TargetKey})
		}
		if !slices.Contains(e.Have, w.Value) {
			return e
		}
	}
	return &NoCaseError{Side: side, What: "combination", Value: s.String(), Have: names(cases)}
}

func names(cases []result.Case) []string {
	out := make([]string, len(cases))
	for i, c := range cases {
		out[i] = c.Name
	}
	return out
}
