package keyspace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Popularity is a histogram of requests over rows, the most popular rows first.
type Popularity []PopularRows

// PopularRows are rows that are equally popular.
type PopularRows struct {
	Rows     int64
	Requests int64 // for all of them together
}

// maxPopularity bounds the sums of rows and requests.
const maxPopularity = 1 << 53

// Rows returns the number of all rows.
func (p Popularity) Rows() (sum int64) {
	for _, part := range p {
		sum += part.Rows
	}
	return sum
}

// ParsePopularity reads a histogram of requests: lines "rows<TAB>requests", the most popular rows first. name is the file's name in
// errors.
func ParsePopularity(name string, r io.Reader) (Popularity, error) {
	var p Popularity
	var rows, requests int64
	line := 0
	wrong := func(column int, format string, args ...any) error {
		return fmt.Errorf("%s:%d:%d: "+format, slices.Concat([]any{name, line, column}, args)...)
	}
	for scan := bufio.NewScanner(r); scan.Scan(); {
		line++
		if line > maxBuckets {
			return nil, wrong(1, "the file has more than %d lines", maxBuckets)
		}
		text := strings.TrimSuffix(scan.Text(), "\r")
		if strings.TrimSpace(text) == "" {
			continue
		}
		first, second, found := strings.Cut(text, "\t")
		if !found {
			return nil, wrong(1, "invalid line %q: want a number of rows, a tab and the number of their requests", text)
		}
		var part PopularRows
		var err error
		if part.Rows, err = strconv.ParseInt(first, 10, 64); err != nil || part.Rows < 1 || part.Rows > maxPopularity-rows {
			return nil, wrong(1, "invalid number of rows %q: want at least 1, and at most %d in all lines", first, int64(maxPopularity))
		}
		second = strings.TrimSpace(second)
		if part.Requests, err = strconv.ParseInt(second, 10, 64); err != nil || part.Requests < 0 || part.Requests > maxPopularity-requests {
			return nil, wrong(len(first)+2, "invalid number of requests %q: want at least 0, and at most %d in all lines", second, int64(maxPopularity))
		}
		if n := len(p); n > 0 && float64(part.Requests)*float64(p[n-1].Rows) > float64(p[n-1].Requests)*float64(part.Rows) {
			return nil, wrong(1, "these rows are more popular than those of the line before: sort the lines")
		}
		rows, requests = rows+part.Rows, requests+part.Requests
		p = append(p, part)
	}
	line = max(line, 1)
	if requests == 0 {
		return nil, wrong(1, "the file has no request; write lines of a number of rows, a tab and the number of their requests")
	}
	return p, nil
}

// Popular draws rows as a Popularity has them: row minimum is the most popular one. It is immutable.
type Popular struct {
	requests []int64 // up to the end of each part
	rows     []int64 // before each part, and at the end
	minimum  int64
}

// NewPopular returns the distribution over minimum … maximum, both included. If there are more rows than in the histogram, the last line
// gets them: its rows become less popular, and all others stay as popular as they are. If there are fewer, the least popular are omitted.
func NewPopular(p Popularity, minimum, maximum int64) *Popular {
	d := &Popular{minimum: minimum, rows: []int64{0}}
	left, sum := maximum-minimum+1, int64(0)
	for i, part := range p {
		rows, requests := part.Rows, part.Requests
		if i == len(p)-1 {
			rows = max(rows, left)
		}
		if rows > left {
			requests = int64(float64(requests) * float64(left) / float64(rows))
			rows = left
		}
		if rows == 0 {
			break
		}
		left, sum = left-rows, sum+requests
		d.requests = append(d.requests, sum)
		d.rows = append(d.rows, d.rows[i]+rows)
	}
	return d
}

// Draw implements Distribution.
func (d *Popular) Draw(r *Rand) int64 {
	last := len(d.requests) - 1
	total := d.requests[last]
	if total == 0 {
		return d.minimum + r.Below(d.rows[last+1])
	}
	i, exact := slices.BinarySearch(d.requests, r.Below(total))
	if exact { // the end of a part belongs to the next one
		i++
		for i < last && d.requests[i] == d.requests[i-1] {
			i++
		}
	}
	return d.minimum + d.rows[i] + r.Below(d.rows[i+1]-d.rows[i])
}
