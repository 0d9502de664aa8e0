package spec

import "github.com/benchd/benchd/internal/descriptor"

// caseView gives the rules of a target access to a case.
type caseView struct{ r *resolver }

var _ descriptor.Case = caseView{}

// Value implements descriptor.Case.
func (v caseView) Value(name string) string { return v.r.value(name) }

// Changed implements descriptor.Case.
func (v caseView) Changed(name string) bool {
	e, ok := v.r.given[name]
	return ok && !e.idle()
}

// Sound implements descriptor.Case.
func (v caseView) Sound(names ...string) bool { return v.r.sound(names...) }

// Fail implements descriptor.Case.
func (v caseView) Fail(name, format string, args ...any) {
	v.r.fail(v.r.setting(name), format, args...)
}

// Warn implements descriptor.Case.
func (v caseView) Warn(name, format string, args ...any) {
	v.r.warn(v.r.setting(name), format, args...)
}

// target returns the description of the case's target, or an empty one if there is no such target.
func (r *resolver) target() descriptor.Target {
	t, _ := r.table.targets.Find(r.value("db"))
	return t
}
