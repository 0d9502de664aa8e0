package svg

import (
	"math"
	"slices"

	"github.com/benchd/benchd/internal/report/book"
)

// The smallest cell of a heat map, in pixels. Smaller ones are joined.
const (
	cellWidth  = 3.0
	cellHeight = 3.0
)

// density draws a heat map over time.
func (p *picture) density() {
	const height = 240
	heat := p.chart.Heat
	if heat == nil {
		heat = &book.Heat{}
	}
	columns, rows := ascending(heat.X, math.Inf(-1)), ascending(heat.Y, math.Inf(-1))
	if p.chart.Y[0].Scale == book.Log {
		rows = positive(rows)
	}
	p.measureSides(height)
	if len(rows) > 1 {
		p.y[0] = valueAxis(p.chart.Y[0], p.heatExtent(heat, rows), height/42, false)
		p.left = edge + p.y[0].reach() + 7
	}
	_, values := p.positions()
	if len(columns) > 1 {
		values.add(columns[0])
		values.add(columns[len(columns)-1])
	}
	p.x = seconds(p.chart.X, values, p.right-p.left)
	p.x.a, p.x.b = p.left, p.right
	p.heading()
	p.legend(p.lineSample)
	cells, greatest := p.cells(heat)
	p.heatLegend(greatest)
	p.axisTitles()
	marks := p.lanes()
	p.top += float64(used(marks))*laneSize + 6
	p.place(height)
	p.gridAndTicks()
	p.clip()
	some := p.drawCells(cells, greatest, height)
	some = p.intervals() || some
	for i := range p.series {
		some = p.curve(&p.series[i]) || some
	}
	p.add("</g>\n")
	p.spans(marks)
	p.limits()
	p.markLines(marks)
	if !some {
		p.empty()
	}
	p.xAxis()
	p.footer()
}

// ascending is the longest beginning of bounds that ascend and can be drawn.
func ascending(bounds []float64, last float64) []float64 {
	for i, v := range bounds {
		if math.IsNaN(drawable(v)) || v <= last {
			return bounds[:i]
		}
		last = v
	}
	return bounds
}

// positive replaces a bound of 0, which a logarithmic axis does not have.
func positive(bounds []float64) []float64 {
	if len(bounds) < 2 || bounds[0] > 0 || bounds[1] <= 0 {
		return bounds
	}
	bounds = slices.Clone(bounds)
	bounds[0] = bounds[1] / 2
	return bounds
}

// heatExtent is the range of the rows that have operations, and of the series.
func (p *picture) heatExtent(heat *book.Heat, rows []float64) span {
	e := p.extent(0)
	for _, counts := range heat.Counts {
		for r, n := range counts {
			if n > 0 && r+1 < len(rows) && (rows[r] > 0 || p.chart.Y[0].Scale != book.Log) {
				e.add(rows[r])
				e.add(rows[r+1])
			}
		}
	}
	return e
}

// heatCells are the counts of a heat map in a raster that can be drawn. The bounds are in seconds and in the unit of the y axis.
type heatCells struct {
	x, y   []float64
	counts []uint64 // column by column
}

// cells joins columns and rows that would be too small.
func (p *picture) cells(heat *book.Heat) (cells heatCells, greatest uint64) {
	columns, rows := ascending(heat.X, math.Inf(-1)), ascending(heat.Y, math.Inf(-1))
	if p.chart.Y[0].Scale == book.Log {
		rows = positive(rows)
	}
	if len(columns) < 2 || len(rows) < 2 {
		return heatCells{}, 0
	}
	y := p.y[0]
	y.a, y.b = 240, 0
	toX, xs := joined(columns, p.x.at, cellWidth)
	toY, ys := joined(rows, y.at, cellHeight)
	cells = heatCells{x: xs, y: ys, counts: make([]uint64, (len(xs)-1)*(len(ys)-1))}
	for c := range min(len(heat.Counts), len(columns)-1) {
		for r := range min(len(heat.Counts[c]), len(rows)-1) {
			at := &cells.counts[toX[c]*(len(ys)-1)+toY[r]]
			if *at += heat.Counts[c][r]; *at < heat.Counts[c][r] {
				*at = math.MaxUint64
			}
			greatest = max(greatest, *at)
		}
	}
	return cells, greatest
}

// joined maps each interval of bounds to a larger one, and returns the larger ones' bounds.
func joined(bounds []float64, at func(float64) float64, least float64) (to []int, larger []float64) {
	larger = bounds[:1:1]
	to = make([]int, len(bounds)-1)
	for i := 1; i < len(bounds); i++ {
		to[i-1] = len(larger) - 1
		if math.Abs(at(bounds[i])-at(larger[len(larger)-1])) >= least-0.01 || i == len(bounds)-1 {
			larger = append(larger, bounds[i])
		}
	}
	return to, larger
}

// level is the colour of a count: equal distances on a logarithmic scale.
func level(n, greatest uint64) int {
	if n == 0 {
		return -1
	}
	return min(int(heatLevels*math.Log(float64(n))/math.Log(float64(greatest)+1)), heatLevels-1)
}

// drawCells draws the cells of a colour as one path, with neighbours in a row as one rectangle.
func (p *picture) drawCells(cells heatCells, greatest uint64, height float64) bool {
	if greatest == 0 {
		return false
	}
	rows := len(cells.y) - 1
	var paths [heatLevels]path
	for r := range rows {
		low, high := p.y[0].at(cells.y[r]), p.y[0].at(cells.y[r+1])
		if math.IsNaN(low) || math.IsNaN(high) || low-high > 2*height {
			continue
		}
		columns := len(cells.x) - 1
		for c := 0; c < columns; {
			k := level(cells.counts[c*rows+r], greatest)
			last := c + 1
			for last < columns && level(cells.counts[last*rows+r], greatest) == k {
				last++
			}
			if k >= 0 {
				paths[k].cell(p.x.at(cells.x[c]), high, p.x.at(cells.x[last]), low)
			}
			c = last
		}
	}
	p.add(`<g shape-rendering="crispEdges">`, "\n")
	for k := range paths {
		if len(paths[k].out) > 0 {
			p.add("<path")
			p.ink(firstHeat+ink(k), none)
			p.add(` d="`, string(paths[k].out), "\"/>\n")
		}
	}
	p.add("</g>\n")
	return true
}

// cell adds a rectangle.
func (d *path) cell(x1, y1, x2, y2 float64) {
	d.move(x1, y1)
	w, h := tenths(x2)-d.x, tenths(y2)-d.y
	d.out = appendTenths(append(d.out, 'h'), w)
	d.out = appendTenths(append(d.out, 'v'), h)
	d.out = appendTenths(append(d.out, 'h'), -w)
	d.out = append(d.out, 'z')
}

// heatLegend shows which number of operations has which colour.
func (p *picture) heatLegend(greatest uint64) {
	if greatest == 0 {
		return
	}
	x, y := float64(edge), p.top+12
	for _, s := range []string{p.text("operations"), "1"} {
		p.label(s, x, y, textSize, 200, start, muted, "")
		x += widthOf(s, textSize) + 8
	}
	for k := range heatLevels {
		p.rect(x, p.top+2, 22, 12, firstHeat+ink(k), "")
		x += 22
	}
	p.label(grouped(float64(greatest), 0), x+8, y, textSize, 200, start, muted, "")
	p.top += lineHeight + 8
}
