package html

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/benchd/benchd/internal/report/book"
)

// data is a chart as the script reads it: web/report/data.ts has the same types.
type data struct {
	Title  string       `json:"title"`
	Kind   book.Kind    `json:"kind"`
	Group  string       `json:"group,omitempty"`
	X      book.Axis    `json:"x"`
	Y      []book.Axis  `json:"y"`
	Series []series     `json:"series,omitempty"`
	Marks  []book.Mark  `json:"marks,omitempty"`
	Limits []book.Limit `json:"limits,omitempty"`
	Heat   *heat        `json:"heat,omitempty"`
}

type series struct {
	Name      string     `json:"name"`
	Axis      int        `json:"axis,omitempty"`
	Style     book.Style `json:"style,omitempty"`
	Published bool       `json:"published,omitempty"`
	Hidden    bool       `json:"hidden,omitempty"`
	X         int        `json:"x"` // index among the page's positions
	Y         string     `json:"y"`
	Low       string     `json:"low,omitempty"`
	High      string     `json:"high,omitempty"`
}

type heat struct {
	X      string `json:"x"`
	Y      string `json:"y"`
	Counts string `json:"counts"` // columns one after another: varints, where 0 is followed by the number of further zeros
}

// longestName bounds the names and labels that are passed to the script, which cuts them further.
const longestName = 300

func newData(c book.Chart, shared *positions) data {
	d := data{Title: first(c.Title, longestName), Kind: c.Kind, Group: c.Group, X: c.X, Y: c.Y}
	if len(d.Y) == 0 {
		d.Y = []book.Axis{{}}
	}
	var x []float64
	for i, s := range c.Series {
		if len(s.X) > 0 && (i == 0 || len(x) == 0) {
			x = s.X
		}
		own := s.X
		if len(own) == 0 {
			own = x
		}
		axis := s.Axis
		if axis < 0 || axis >= len(d.Y) {
			axis = 0
		}
		d.Series = append(d.Series, series{
			Name: first(s.Name, longestName), Axis: axis, Style: s.Style, Published: s.Published, Hidden: s.Hidden,
			X: shared.index(own, len(s.Y)), Y: floats(s.Y), Low: floats(s.Low), High: floats(s.High),
		})
	}
	for _, m := range c.Marks {
		if finite(m.From) && finite(m.To) {
			m.Label, m.Text = first(m.Label, longestName), first(m.Text, longestTip)
			d.Marks = append(d.Marks, m)
		}
	}
	for _, l := range c.Limits {
		if finite(l.Value) {
			l.Label = first(l.Label, longestName)
			d.Limits = append(d.Limits, l)
		}
	}
	if c.Heat != nil {
		d.Heat = &heat{X: floats(c.Heat.X), Y: floats(c.Heat.Y), Counts: counts(c.Heat)}
	}
	return d
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// positions are the x values of all series of a page, each list once.
type positions struct {
	list []position
	seen map[string]int
}

// position is a list of x values: a start, a step and a number if the steps are equal, and otherwise distances to the start.
type position struct {
	From float64 `json:"from"`
	Step float64 `json:"step,omitempty"`
	N    int     `json:"n,omitempty"`
	Data string  `json:"data,omitempty"`
}

func newPositions() *positions { return &positions{list: []position{}, seen: make(map[string]int)} }

// index returns the index of a list in the page's, of which the first n values are used. Missing ones are counted on.
func (p *positions) index(x []float64, n int) int {
	one := compact(x, n)
	key, err := json.Marshal(one)
	if err != nil { // a position that is not finite: the series has none
		one, key = position{}, nil
	}
	i, ok := p.seen[string(key)]
	if !ok {
		i = len(p.list)
		p.list = append(p.list, one)
		p.seen[string(key)] = i
	}
	return i
}

func compact(x []float64, n int) position {
	switch {
	case n == 0:
		return position{}
	case len(x) == 0:
		return position{Step: 1, N: n}
	}
	x = x[:min(n, len(x))]
	if len(x) == 1 {
		return position{From: x[0], N: 1}
	}
	step := (x[len(x)-1] - x[0]) / float64(len(x)-1)
	for i, v := range x {
		if !(math.Abs(v-x[0]-float64(i)*step) <= 1e-6*math.Abs(step)) {
			return position{From: x[0], Data: floats(distances(x))}
		}
	}
	return position{From: x[0], Step: step, N: len(x)}
}

func distances(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v - x[0]
	}
	return out
}

// floats encodes numbers as base64 of little-endian 32-bit floats. Infinite ones become NaN, which is drawn as a gap.
func floats(x []float64) string {
	if len(x) == 0 {
		return ""
	}
	raw := make([]byte, 0, 4*len(x))
	for _, v := range x {
		f := float32(v)
		if math.IsInf(float64(f), 0) {
			f = float32(math.NaN())
		}
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// counts encodes the counts of a heat map. Most are zero.
func counts(h *book.Heat) string {
	rows := len(h.Y) - 1
	var raw []byte
	zeros := uint64(0)
	flush := func() {
		if zeros > 0 {
			raw = binary.AppendUvarint(append(raw, 0), zeros-1)
			zeros = 0
		}
	}
	for _, column := range h.Counts {
		for i := range max(rows, 0) {
			if i >= len(column) || column[i] == 0 {
				zeros++
				continue
			}
			flush()
			raw = binary.AppendUvarint(raw, column[i])
		}
	}
	flush()
	return base64.StdEncoding.EncodeToString(raw)
}
