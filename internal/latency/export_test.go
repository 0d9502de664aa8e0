package latency

// Cut is CutWindow without the lateness.
func (r *Recorder) Cut(end int64) []Series {
	series, _ := r.CutWindow(end)
	return series
}
