package xlsx

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"
)

// cached is up to how many values a chart repeats those of its cells, for programs that show charts without reading the cells.
const cached = 200

// tags writes elements of the chart's namespace, and a few of drawings. The order of elements is that of the schema CT_ChartSpace of
// ECMA-376, which Excel insists on.
type tags struct{ strings.Builder }

// val writes an element with a value.
func (t *tags) val(name, value string) {
	t.WriteString("<c:" + name + ` val="`)
	t.text(value)
	t.WriteString(`"/>`)
}

func (t *tags) int(name string, n int) { t.val(name, strconv.Itoa(n)) }

func (t *tags) text(s string) { _ = xml.EscapeText(t, []byte(s)) }

// in writes an element around others.
func (t *tags) in(name string, content func()) {
	t.WriteString("<c:" + name + ">")
	content()
	t.WriteString("</c:" + name + ">")
}

// xml is the part of the chart.
func (p *plot) xml() []byte {
	t := &tags{}
	t.WriteString(xml.Header + `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` +
		`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">`)
	t.val("date1904", "0")
	t.val("roundedCorners", "0")
	t.in("chart", func() {
		t.title(p.title, 1100, true, false)
		t.val("autoTitleDeleted", "0")
		t.in("plotArea", func() {
			t.WriteString("<c:layout/>")
			if p.bars {
				p.barGroups(t)
			} else {
				p.scatterGroups(t)
			}
		})
		t.in("legend", func() {
			t.val("legendPos", "b")
			for i, s := range p.series {
				if s.unlisted {
					t.in("legendEntry", func() {
						t.int("idx", i)
						t.val("delete", "1")
					})
				}
			}
			t.val("overlay", "0")
			t.font(900, muted)
		})
		t.val("plotVisOnly", "0") // rows that a filter hides stay in the chart
		t.val("dispBlanksAs", "gap")
	})
	t.WriteString(`<c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln w="9525"><a:solidFill><a:srgbClr val="` + hairline + `"/></a:solidFill></a:ln></c:spPr>`)
	t.WriteString("</c:chartSpace>")
	return []byte(t.String())
}

// title writes the title of a chart or of an axis.
func (t *tags) title(text string, size int, bold, upright bool) {
	if text == "" {
		return
	}
	rotation := ""
	if upright {
		rotation = ` rot="-5400000" vert="horz"`
	}
	t.in("title", func() {
		t.WriteString(`<c:tx><c:rich><a:bodyPr` + rotation + `/><a:p><a:pPr><a:defRPr sz="` + strconv.Itoa(size) + `" b="` + strconv.Itoa(boolToInt(bold)) + `"/></a:pPr>` +
			`<a:r><a:rPr lang="en-US" sz="` + strconv.Itoa(size) + `" b="` + strconv.Itoa(boolToInt(bold)) + `"><a:solidFill><a:srgbClr val="` + ink + `"/></a:solidFill></a:rPr><a:t>`)
		t.text(oneLine(text, 200))
		t.WriteString(`</a:t></a:r></a:p></c:rich></c:tx>`)
		t.val("overlay", "0")
	})
}

func (t *tags) font(size int, color string) {
	t.WriteString(`<c:txPr><a:bodyPr/><a:p><a:pPr><a:defRPr sz="` + strconv.Itoa(size) + `"><a:solidFill><a:srgbClr val="` + color +
		`"/></a:solidFill></a:defRPr></a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr>`)
}

// The ids of axes: x and y of the left and of the right group.
func axisIDs(group int) (x, y int) { return 1001 + 10*group, 1002 + 10*group }

// scatterGroups writes the series over numbers, a group for each y axis.
func (p *plot) scatterGroups(t *tags) {
	groups := p.groups(func(series) bool { return true })
	for group, members := range groups {
		if len(members) == 0 && group > 0 {
			continue
		}
		t.in("scatterChart", func() {
			t.val("scatterStyle", "lineMarker")
			t.val("varyColors", "0")
			for _, i := range members {
				p.scatter(t, i)
			}
			x, y := axisIDs(group)
			t.int("axId", x)
			t.int("axId", y)
		})
	}
	for group, members := range groups {
		if len(members) == 0 && group > 0 {
			continue
		}
		x, y := axisIDs(group)
		along := p.x
		if group > 0 {
			along.title = "" // it is that of the left group
		}
		t.valueAxis(along, x, y, "b", group > 0, false)
		t.valueAxis(p.y[group], y, x, sideOf(group), false, false)
	}
}

func sideOf(group int) string {
	if group > 0 {
		return "r"
	}
	return "l"
}

// groups are the indexes of series by their y axis.
func (p *plot) groups(of func(series) bool) [][]int {
	out := make([][]int, len(p.y))
	for i, s := range p.series {
		if of(s) {
			out[s.axis] = append(out[s.axis], i)
		}
	}
	return out
}

// barGroups writes the series over categories: columns, and above them lines and points.
func (p *plot) barGroups(t *tags) {
	bars := p.groups(func(s series) bool { return s.shape == columns })
	over := p.groups(func(s series) bool { return s.shape != columns })
	used := []bool{true, false}
	t.in("barChart", func() {
		t.val("barDir", "col")
		t.val("grouping", "clustered")
		t.val("varyColors", "0")
		for _, i := range bars[0] {
			p.bar(t, i)
		}
		t.val("gapWidth", "60")
		t.val("overlap", "-5")
		x, y := axisIDs(0)
		t.int("axId", x)
		t.int("axId", y)
	})
	for group, members := range over {
		if len(members) == 0 {
			continue
		}
		used[group] = true
		t.in("lineChart", func() {
			t.val("grouping", "standard")
			t.val("varyColors", "0")
			for _, i := range members {
				p.line(t, i)
			}
			t.val("marker", "1")
			x, y := axisIDs(group)
			t.int("axId", x)
			t.int("axId", y)
		})
	}
	for group := range p.y {
		if !used[group] {
			continue
		}
		x, y := axisIDs(group)
		along := p.x
		if group > 0 {
			along.title = ""
		}
		t.categoryAxis(along, x, y, group > 0)
		t.valueAxis(p.y[group], y, x, sideOf(group), false, true)
	}
}

// begin writes what all series begin with.
func (p *plot) begin(t *tags, i int) *series {
	s := &p.series[i]
	t.int("idx", i)
	t.int("order", i)
	t.in("tx", func() {
		t.in("v", func() { t.text(s.name) })
	})
	return s
}

func (p *plot) scatter(t *tags, i int) { p.joined(t, i, "xVal", "yVal") }

func (p *plot) line(t *tags, i int) { p.joined(t, i, "cat", "val") }

// joined writes a series of points, whose positions and values have names of their own in each kind of chart.
func (p *plot) joined(t *tags, i int, positions, values string) {
	t.in("ser", func() {
		s := p.begin(t, i)
		t.stroke(s)
		t.marker(s)
		t.whiskers(s, positions == "xVal")
		t.cells(positions, s.x)
		t.cells(values, s.y)
		t.val("smooth", "0")
	})
}

func (p *plot) bar(t *tags, i int) {
	t.in("ser", func() {
		s := p.begin(t, i)
		t.WriteString("<c:spPr>")
		if s.hollow {
			t.WriteString(`<a:solidFill><a:srgbClr val="` + claimFill + `"/></a:solidFill>` + ln(s.color, 15875, true))
		} else {
			t.WriteString(`<a:solidFill><a:srgbClr val="` + s.color + `"/></a:solidFill>`)
		}
		t.WriteString("</c:spPr>")
		t.val("invertIfNegative", "0")
		for _, at := range s.open {
			t.in("dPt", func() {
				t.int("idx", at)
				t.val("invertIfNegative", "0")
				t.val("bubble3D", "0")
				t.WriteString(`<c:spPr><a:noFill/>` + ln(s.color, 6350, true) + `</c:spPr>`)
			})
		}
		t.whiskers(s, false)
		t.cells("cat", s.x)
		t.cells("val", s.y)
	})
}

// ln is a line of a colour and a width in EMU.
func ln(color string, width int, dashed bool) string {
	dash := ""
	if dashed {
		dash = `<a:prstDash val="sysDash"/>`
	}
	return `<a:ln w="` + strconv.Itoa(width) + `" cap="rnd"><a:solidFill><a:srgbClr val="` + color + `"/></a:solidFill>` + dash + `<a:round/></a:ln>`
}

func (t *tags) stroke(s *series) {
	t.WriteString("<c:spPr>")
	if s.shape == points {
		t.WriteString(`<a:ln w="19050"><a:noFill/></a:ln>`)
	} else {
		width := 19050
		if len(s.y.values) > 500 {
			width = 12700
		}
		t.WriteString(ln(s.color, width, s.dashed))
	}
	t.WriteString("</c:spPr>")
}

func (t *tags) marker(s *series) {
	t.in("marker", func() {
		if s.marker == "" {
			t.val("symbol", "none")
			return
		}
		t.val("symbol", s.marker)
		t.val("size", map[bool]string{true: "7", false: "5"}[s.hollow && s.shape == points])
		fill := s.color
		if s.hollow {
			fill = "FFFFFF"
		}
		t.WriteString(`<c:spPr><a:solidFill><a:srgbClr val="` + fill + `"/></a:solidFill>` + ln(s.color, 12700, false) + `</c:spPr>`)
	})
}

// whiskers writes the intervals of a series, or its vertical lines.
func (t *tags) whiskers(s *series, scatter bool) {
	if s.above.ref == "" && s.lines == 0 {
		return
	}
	t.in("errBars", func() {
		if scatter {
			t.val("errDir", "y")
		}
		if s.lines > 0 {
			t.val("errBarType", "plus")
			t.val("errValType", "fixedVal")
			t.val("noEndCap", "1")
			t.val("val", strconv.FormatFloat(s.lines, 'g', -1, 64))
			t.WriteString("<c:spPr>" + ln(s.color, 9525, true) + "</c:spPr>")
			return
		}
		t.val("errBarType", "both")
		t.val("errValType", "cust")
		t.val("noEndCap", "0")
		t.cells("plus", s.above)
		t.cells("minus", s.below)
		color := ink
		if s.shape != columns {
			color = s.color
		}
		t.WriteString("<c:spPr>" + ln(color, 9525, false) + "</c:spPr>")
	})
}

// cells writes a range of cells with its values, if they are few.
func (t *tags) cells(name string, d data) {
	t.in(name, func() {
		kind, n := "num", len(d.values)
		if d.texts != nil {
			kind, n = "str", len(d.texts)
		}
		t.in(kind+"Ref", func() {
			t.in("f", func() { t.text(d.ref) })
			if n > cached {
				return
			}
			t.in(kind+"Cache", func() {
				if kind == "num" {
					t.WriteString("<c:formatCode>General</c:formatCode>")
				}
				t.int("ptCount", n)
				for i := range n {
					var text string
					switch {
					case kind == "str":
						text = d.texts[i]
					case math.IsNaN(d.values[i]) || math.IsInf(d.values[i], 0):
						continue
					default:
						text = strconv.FormatFloat(d.values[i], 'g', -1, 64)
					}
					t.WriteString(`<c:pt idx="` + strconv.Itoa(i) + `"><c:v>`)
					t.text(text)
					t.WriteString("</c:v></c:pt>")
				}
			})
		})
	})
}

// scaling writes the ends of an axis and whether it is logarithmic.
func (t *tags) scaling(a axis) {
	t.in("scaling", func() {
		if a.log {
			t.val("logBase", "10")
		}
		t.val("orientation", "minMax")
		for _, bound := range []struct {
			name string
			at   float64
		}{{"max", a.max}, {"min", a.min}} {
			if !math.IsNaN(bound.at) {
				t.val(bound.name, strconv.FormatFloat(bound.at, 'g', -1, 64))
			}
		}
	})
}

func (t *tags) valueAxis(a axis, id, crosses int, side string, hidden, bars bool) {
	right := side == "r"
	t.in("valAx", func() {
		t.int("axId", id)
		t.scaling(a)
		t.int("delete", boolToInt(hidden))
		t.val("axPos", side)
		if !right && !hidden {
			t.WriteString(`<c:majorGridlines><c:spPr>` + ln("E6E9EE", 6350, false) + `</c:spPr></c:majorGridlines>`)
		}
		t.title(a.title, 900, false, side != "b")
		t.WriteString(`<c:numFmt formatCode="`)
		t.text(a.format)
		t.WriteString(`" sourceLinked="0"/>`)
		t.axisEnd(crosses, right)
		t.val("crossBetween", map[bool]string{true: "between", false: "midCat"}[bars])
	})
}

func (t *tags) categoryAxis(a axis, id, crosses int, hidden bool) {
	t.in("catAx", func() {
		t.int("axId", id)
		t.scaling(axis{min: math.NaN(), max: math.NaN()})
		t.int("delete", boolToInt(hidden))
		t.val("axPos", "b")
		t.title(a.title, 900, false, false)
		t.WriteString(`<c:numFmt formatCode="General" sourceLinked="0"/>`)
		t.axisEnd(crosses, false)
		t.val("auto", "0")
		t.val("lblAlgn", "ctr")
		t.val("lblOffset", "100")
		t.val("noMultiLvlLbl", "1")
	})
}

// axisEnd writes what both kinds of axes have.
func (t *tags) axisEnd(crosses int, right bool) {
	t.val("majorTickMark", "out")
	t.val("minorTickMark", "none")
	t.val("tickLblPos", map[bool]string{true: "high", false: "low"}[right])
	t.WriteString(`<c:spPr>` + ln("9AA3AF", 9525, false) + `</c:spPr>`)
	t.font(900, muted)
	t.int("crossAx", crosses)
	t.val("crosses", map[bool]string{true: "max", false: "min"}[right])
}
