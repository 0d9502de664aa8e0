package incident

// dip is a stretch of intervals in which the throughput had fallen.
type dip struct {
	first int // its first interval below the limit
	back  int // the first interval after it; -1 if it did not recover
}

// dipIn finds the first dip that begins in the intervals from, from+1 … and before an instant; intervals from to on are not
// looked at. A dip needs leastRow intervals in a row below the floor, or one without operations.
func (c *curve) dipIn(l *level, from, to int, before float64) (dip, bool) {
	limit := l.limit()
	for i := from; i < to && c.points[i].T < before; {
		end, stopped := i, false
		for ; end < to && c.rates[end] < l.floor; end++ {
			stopped = stopped || c.rates[end] <= 0
		}
		if end-i < leastRow && (!stopped || l.idle) {
			i = end + 1
			continue
		}
		d := dip{first: i, back: -1}
		for d.first > from && c.rates[d.first-1] < limit {
			d.first--
		}
		row := 0
		for k := end; k < to; k++ {
			if c.rates[k] < limit {
				row = 0
			} else if row++; row == recoveredRow {
				d.back = k - recoveredRow + 1
				break
			}
		}
		return d, true
	}
	return dip{}, false
}

// fallen finds the dips that begin before an instant as one: from the begin of the first to the recovery from the last.
func (c *curve) fallen(l *level, from, to int, before float64) (all dip, found bool) {
	for {
		d, ok := c.dipIn(l, from, to, before)
		if !ok {
			return all, found
		}
		if !found {
			all, found = d, true
		}
		all.back = d.back
		if d.back < 0 {
			return all, found
		}
		from = d.back
	}
}
