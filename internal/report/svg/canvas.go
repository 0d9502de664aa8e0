package svg

import (
	"math"
	"strconv"
	"strings"
)

// fonts are those of a file. They include the fonts that systems have for Chinese.
const fonts = "system-ui,-apple-system,'Segoe UI','Noto Sans','Helvetica Neue',Arial,'Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif"

// ink is a colour by its purpose.
type ink int

// The inks. Those of series begin at firstSeries.
const (
	none ink = iota
	inherited
	background
	foreground
	muted
	grid
	axisLine
	actionMark
	eventMark
	chosenMark
	dipMark
	phaseMark
	limitLine
	firstHeat
	firstSeries = firstHeat + heatLevels
	numInks     = firstSeries + numSeriesInks

	heatLevels    = 7
	numSeriesInks = 8
)

// colour is an ink on a light and on a dark page.
type colour struct{ property, light, dark string }

// inks are the colours. Those of series are Okabe and Ito's, apart from yellow and black, which need a background of their own.
func inks() [numInks]colour {
	all := [numInks]colour{
		background: {"--chart-background", "#ffffff", "#0d1117"},
		foreground: {"--chart-text", "#1f2328", "#e6edf3"},
		muted:      {"--chart-muted", "#59636e", "#9198a1"},
		grid:       {"--chart-grid", "#e4e7eb", "#262c36"},
		axisLine:   {"--chart-axis", "#8c959f", "#6e7681"},
		actionMark: {"--chart-action", "#a5440b", "#f0975a"},
		eventMark:  {"--chart-event", "#59636e", "#9198a1"},
		chosenMark: {"--chart-chosen", "#1a7f37", "#4ac26b"},
		dipMark:    {"--chart-dip", "#c4320a", "#ff8a66"},
		phaseMark:  {"--chart-phase", "#59636e", "#9198a1"},
		limitLine:  {"--chart-limit", "#8a2be2", "#c297ff"},
	}
	heat := [heatLevels][2]string{
		{"#d9e8f5", "#10243a"},
		{"#b3d3ec", "#133a63"},
		{"#82b9e0", "#17548f"},
		{"#4d97cd", "#2272b4"},
		{"#2272b4", "#4a97d3"},
		{"#0f5092", "#86c1ee"},
		{"#08306b", "#d6ebff"},
	}
	for i, c := range heat {
		all[firstHeat+ink(i)] = colour{"--chart-heat-" + strconv.Itoa(i+1), c[0], c[1]}
	}
	series := [numSeriesInks][2]string{
		{"#0072b2", "#4aa8e8"},
		{"#d55e00", "#ff8c42"},
		{"#009e73", "#2fc79a"},
		{"#b8538f", "#e59ac2"},
		{"#c78500", "#f2b632"},
		{"#3a9bd9", "#9ad4ff"},
		{"#6a51a3", "#b3a2f0"},
		{"#666666", "#b0b0b0"},
	}
	for i, c := range series {
		all[firstSeries+ink(i)] = colour{"--series-" + strconv.Itoa(i+1), c[0], c[1]}
	}
	return all
}

// canvas collects the elements of a picture.
type canvas struct {
	out    []byte
	inline bool
	inks   [numInks]colour
	used   [numInks][2]bool // of a file, as fill and as stroke
}

func newCanvas(inline bool) canvas {
	return canvas{out: make([]byte, 0, 16<<10), inline: inline, inks: inks()}
}

func (c *canvas) add(parts ...string) {
	for _, s := range parts {
		c.out = append(c.out, s...)
	}
}

// attr adds an attribute with a number.
func (c *canvas) attr(name string, value float64) {
	c.add(" ", name, `="`)
	c.out = appendTenths(c.out, tenths(value))
	c.add(`"`)
}

// ink adds the attributes that colour an element. A file has the colours of a light page, which every program shows, and
// classes by which a browser changes them on a dark page.
func (c *canvas) ink(fill, stroke ink) {
	if c.inline {
		c.property("fill", fill)
		c.property("stroke", stroke)
		return
	}
	var classes []string
	for i, k := range [2]ink{fill, stroke} {
		name := [2]string{"fill", "stroke"}[i]
		switch k {
		case none:
			c.add(" ", name, `="none"`)
		case inherited:
		default:
			c.used[k][i] = true
			classes = append(classes, class(name, k))
			c.add(" ", name, `="`, c.inks[k].light, `"`)
		}
	}
	if len(classes) > 0 {
		c.add(` class="`, strings.Join(classes, " "), `"`)
	}
}

func (c *canvas) property(name string, k ink) {
	switch k {
	case none:
		c.add(" ", name, `="none"`)
	case inherited:
	default:
		c.add(" ", name, `="var(`, c.inks[k].property, ",", c.inks[k].light, `)"`)
	}
}

func class(name string, k ink) string { return name[:1] + strconv.Itoa(int(k)) }

// darkRules are the rules of the classes in use.
func (c *canvas) darkRules() string {
	var rules strings.Builder
	for i := range c.used {
		for at, name := range [2]string{"fill", "stroke"} {
			if c.used[i][at] {
				rules.WriteString("." + class(name, ink(i)) + "{" + name + ":" + c.inks[i].dark + "}")
			}
		}
	}
	return rules.String()
}

// line draws a straight line. Style has further attributes.
func (c *canvas) line(x1, y1, x2, y2 float64, k ink, style string) {
	c.add("<path")
	c.ink(none, k)
	c.add(style, ` d="`)
	c.pathOf(false, x1, y1, x2, y2)
	c.add("\"/>\n")
}

// rect draws a rectangle. Style has further attributes.
func (c *canvas) rect(x, y, w, h float64, fill ink, style string) {
	c.add("<rect")
	c.attr("x", x)
	c.attr("y", y)
	c.attr("width", max(w, 0))
	c.attr("height", max(h, 0))
	c.ink(fill, none)
	c.add(style, "/>\n")
}

// pathOf adds the data of a path through points.
func (c *canvas) pathOf(closed bool, points ...float64) {
	d := path{out: c.out}
	for i := 0; i+1 < len(points); i += 2 {
		if i == 0 {
			d.move(points[i], points[i+1])
		} else {
			d.line(points[i], points[i+1])
		}
	}
	if c.out = d.out; closed {
		c.add("z")
	}
}

// path builds the data of a path. Positions have a tenth of a pixel, and steps between them are exact.
type path struct {
	out     []byte
	x, y    int
	command byte
}

func (d *path) move(x, y float64) {
	d.x, d.y = tenths(x), tenths(y)
	d.out = append(d.out, 'M')
	d.out = appendTenths(d.out, d.x)
	d.pair(d.y)
	d.command = 'M'
}

func (d *path) line(x, y float64) {
	toX, toY := tenths(x), tenths(y)
	if d.command == 'l' {
		d.pair(toX - d.x)
	} else {
		d.out = append(d.out, 'l')
		d.out = appendTenths(d.out, toX-d.x)
	}
	d.pair(toY - d.y)
	d.x, d.y, d.command = toX, toY, 'l'
}

// dot draws a point by a line without length, which has round ends.
func (d *path) dot(x, y float64) {
	d.move(x, y)
	d.out = append(d.out, "h0"...)
	d.command = 'h'
}

// pair adds a number after another one. A minus sign separates them.
func (d *path) pair(n int) {
	if n >= 0 {
		d.out = append(d.out, ' ')
	}
	d.out = appendTenths(d.out, n)
}

// tenths rounds a position. No position is far outside of a picture.
func tenths(v float64) int {
	const far = 100_000
	if !(v > -far) { // also NaN
		return -10 * far
	}
	return int(math.Round(10 * min(v, far)))
}

// appendTenths adds a number of tenths as a decimal number.
func appendTenths(out []byte, n int) []byte {
	if n < 0 {
		out, n = append(out, '-'), -n
	}
	if n%10 == 0 {
		return strconv.AppendInt(out, int64(n/10), 10)
	}
	if n > 10 {
		out = strconv.AppendInt(out, int64(n/10), 10)
	}
	return append(out, '.', byte('0'+n%10))
}
