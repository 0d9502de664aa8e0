package spec

import "github.com/benchd/benchd/internal/plan"

// validateUserData validates the user's own keys and values against the target.
func (r *resolver) validateUserData(s plan.Settings) {
	t := r.target()
	if r.sound(valueRatio) && s.Workload.ValueRatio > 0 && t.TextValues != "" {
		r.fail(r.setting(valueRatio), "needs values of any bytes, but %s; remove it for YCSB's values, which are printable characters", t.TextValues)
	}
	other := ""
	switch {
	case s.Workload.Series != nil:
		other = "TimeSeriesWorkload"
	case r.value(TraceFile) != "" || r.value(TraceCard) != "":
		other = TraceFile
	}
	for _, name := range []string{keyTemplate, valueRatio, valueSizes} {
		if e, ok := r.given[name]; ok && other != "" && !e.idle() && !r.bad[name] {
			r.fail(e, "conflicts with %s, which has its own keys and values; remove one of them", other)
		}
	}
	for _, name := range []string{"keyprefix", "zeropadding", "insertorder"} {
		e, ok := r.given[name]
		switch {
		case !ok || e.idle() || r.bad[name]:
		case s.Workload.KeyTemplate == "":
			r.used = append(r.used, e.order) // another case of a suite may have a template
		default:
			r.inert = append(r.inert, e.finding("has no effect with key.template, which makes the whole key"))
		}
	}
}
