package svg

// markers draws markers in one element.
func (p *picture) markers(s *series, x, y []float64, r float64) {
	p.add("<path")
	p.markerInks(s)
	p.add(` d="`)
	for i := range x {
		p.marker(s.shape, x[i], y[i], r)
	}
	p.add("\"/>\n")
}

// markerInks adds the colours of markers. Those of published figures are hollow.
func (p *picture) markerInks(s *series) {
	if s.Published {
		p.ink(background, s.colour)
		p.add(` stroke-width="1.6"`)
	} else {
		p.ink(s.colour, background)
	}
}

// marker adds the path of a marker.
func (p *picture) marker(shape int, x, y, r float64) {
	switch shape % 6 {
	case 0:
		d := path{out: p.out}
		d.move(x-r, y)
		p.out = d.out
		for _, way := range []float64{2 * r, -2 * r} {
			p.add("a")
			p.out = appendTenths(p.out, tenths(r))
			p.add(" ")
			p.out = appendTenths(p.out, tenths(r))
			p.add(" 0 1 0 ")
			p.out = appendTenths(p.out, tenths(way))
			p.add(" 0")
		}
		p.add("z")
	case 1:
		r *= 0.9
		p.pathOf(true, x-r, y-r, x+r, y-r, x+r, y+r, x-r, y+r)
	case 2:
		r *= 1.25
		p.pathOf(true, x, y-r, x+r, y+r*0.8, x-r, y+r*0.8)
	case 3:
		r *= 1.3
		p.pathOf(true, x, y-r, x+r, y, x, y+r, x-r, y)
	case 4:
		r *= 1.25
		p.pathOf(true, x, y+r, x+r, y-r*0.8, x-r, y-r*0.8)
	default:
		r *= 1.15
		t := r / 2.6
		p.pathOf(true, x-t, y-r, x+t, y-r, x+t, y-t, x+r, y-t, x+r, y+t, x+t, y+t, x+t, y+r, x-t, y+r, x-t, y+t, x-r, y+t, x-r, y-t, x-t, y-t)
	}
}
