package spec

import "github.com/benchd/benchd/internal/descriptor"

// caseView shows a judge's case to the rules of its target.
type caseView struct{ j *judge }

var _ descriptor.Case = caseView{}

// Value implements descriptor.Case.
func (v caseView) Value(name string) string { return v.j.value(name) }

// Changed implements descriptor.Case.
func (v caseView) Changed(name string) bool {
	e, ok := v.j.given[name]
	return ok && !e.idle()
}

// Sound implements descriptor.Case.
func (v caseView) Sound(names ...string) bool { return v.j.sound(names...) }

// Fail implements descriptor.Case.
func (v caseView) Fail(name, format string, args ...any) { v.j.fail(v.j.said(name), format, args...) }

// Warn implements descriptor.Case.
func (v caseView) Warn(name, format string, args ...any) { v.j.warn(v.j.said(name), format, args...) }

// target describes the target of the case; it is empty where there is no such target.
func (j *judge) target() descriptor.Target {
	t, _ := j.table.targets.Find(j.value("db"))
	return t
}
