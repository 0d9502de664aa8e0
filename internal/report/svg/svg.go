package svg

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"strconv"

	"github.com/benchd/benchd/internal/report/book"
)

// Options are how a picture is written.
type Options struct {
	// Inline: the picture becomes part of an HTML page. It has no background, no visible title and no font of its own, and its
	// colours are CSS custom properties of the page, each with a colour for a light page: --series-1 … --series-8, --chart-text and
	// the others of the function inks. Otherwise the picture is a file that is readable on a light and on a dark page.
	Inline bool
	// Width is in pixels: 800 if it is 0, at least 320.
	Width int
	// ID is the prefix of the ids in the picture, which must be unique in a page. Empty: it is derived from the chart.
	ID string
	// Text translates the few words that the picture has of its own. Nil: English.
	Text func(english string) string
}

// Write draws a chart.
func Write(w io.Writer, c book.Chart, o Options) error {
	p := newPicture(c, o)
	switch p.chart.Kind {
	case book.Bars:
		p.bars()
	case book.Density:
		p.density()
	case book.Lines, book.Time:
		p.lines()
	default:
		p.lines()
	}
	if _, err := w.Write(p.document()); err != nil {
		return fmt.Errorf("write chart as SVG: %w", err)
	}
	return nil
}

// The sizes of texts, and distances, in pixels.
const (
	titleSize  = 15
	textSize   = 12
	tickSize   = 11
	edge       = 12 // around the picture
	lineHeight = 17
)

// picture is a chart while it is drawn.
type picture struct {
	canvas
	text   func(string) string
	id     string
	chart  book.Chart
	series []series
	notes  []string

	width, height            float64
	left, right, top, bottom float64 // the area of the data
	x                        axis
	y                        []axis
}

func newPicture(c book.Chart, o Options) *picture {
	p := &picture{canvas: newCanvas(o.Inline), text: o.Text, id: o.ID, width: 800}
	if p.text == nil {
		p.text = func(s string) string { return s }
	}
	if o.Width > 0 {
		p.width = float64(min(max(o.Width, 320), 4000))
	}
	if p.id == "" {
		p.id = identity(c)
	}
	p.id = safeID(p.id)
	p.prepare(c)
	return p
}

// identity derives an id from the content of a chart.
func identity(c book.Chart) string {
	h := fnv.New64a()
	write := func(texts ...string) {
		for _, s := range texts {
			_, _ = io.WriteString(h, s) // a hash accepts everything
			_, _ = h.Write([]byte{0})
		}
	}
	write(string(c.Kind), c.Title, c.How, c.X.Title)
	for _, y := range c.Y {
		write(y.Title, y.Unit)
	}
	write(c.X.Categories...)
	for _, s := range c.Series {
		write(s.Name)
		floats(h, s.X)
		floats(h, s.Y)
	}
	if c.Heat != nil {
		floats(h, c.Heat.X)
		floats(h, c.Heat.Y)
		for _, counts := range c.Heat.Counts {
			_ = binary.Write(h, binary.LittleEndian, counts) // a hash accepts everything
		}
	}
	for _, l := range c.Limits {
		write(l.Label)
		floats(h, []float64{l.Value})
	}
	for _, m := range c.Marks {
		write(m.Label)
		floats(h, []float64{m.From, m.To})
	}
	return "chart-" + strconv.FormatUint(h.Sum64(), 36)
}

func floats(h hash.Hash64, values []float64) {
	buffer := make([]byte, 0, 8*len(values)+1)
	for _, v := range values {
		buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(v))
	}
	_, _ = h.Write(append(buffer, 0)) // a hash accepts everything
}

// document is the whole picture.
func (p *picture) document() []byte {
	body := p.out
	p.out = make([]byte, 0, len(body)+4096)
	size := strconv.Itoa(int(math.Ceil(p.width))) + " " + strconv.Itoa(int(math.Ceil(p.height)))
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 `, size, `"`)
	p.attr("width", math.Ceil(p.width))
	p.attr("height", math.Ceil(p.height))
	p.add(` role="img" aria-labelledby="`, p.id, `-title`)
	if p.chart.How != "" {
		p.add(` `, p.id, `-how`)
	}
	p.add(`" font-size="12"`)
	if !p.inline {
		p.add(` font-family="`, fonts, `"`)
	}
	p.add(`>`, "\n", `<title id="`, p.id, `-title">`, escape(shortened(p.chart.Title, longest)), "</title>\n")
	if p.chart.How != "" {
		p.add(`<desc id="`, p.id, `-how">`, escape(shortened(p.chart.How, longest)), "</desc>\n")
	}
	if !p.inline {
		p.paper()
	}
	p.out = append(p.out, body...)
	p.add("</svg>\n")
	return p.out
}

// paper draws the background, with the colours of a dark page. It comes last, when all used colours are known.
func (p *picture) paper() {
	mark := len(p.out)
	p.add(`<rect width="100%" height="100%"`)
	p.ink(background, none)
	p.add("/>\n")
	rect := string(p.out[mark:])
	p.out = p.out[:mark]
	p.add("<style>@media (prefers-color-scheme:dark){", p.darkRules(), "}</style>\n", rect)
}

// safeID replaces everything that an id must not have.
func safeID(s string) string {
	out := []byte(s)
	for i, b := range out {
		if (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && (b < '0' || b > '9') && b != '-' && b != '_' {
			out[i] = '-'
		}
	}
	return string(out)
}
