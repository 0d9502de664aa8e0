package capture

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// Format is the format of an input.
type Format string

// The formats, beside the names of targets with a log of requests. With Auto the beginning of the input decides.
const (
	Auto      Format = "auto"
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// Formats returns the names of all formats: those of this package, and the targets that have a log of requests. Targets that share a
// log have it under the name of the first one.
func Formats(targets descriptor.List) []string {
	names := []string{string(Auto), string(CSV), string(JSONLines)}
	docs := make(map[string]bool)
	for _, t := range targets {
		if t.RequestLog != nil && !docs[t.RequestLog.Doc] {
			docs[t.RequestLog.Doc] = true
			names = append(names, t.Name)
		}
	}
	return names
}

// maxLine bounds a line: the key of a row may have 32 KiB, and each byte of it four characters.
const maxLine = 1 << 20

// reader reads the rows of an input.
type reader interface {
	// next fills in the next row. Mistakes that leave no row go to fail, and reading continues. It returns io.EOF at the end.
	next(r *row) error
}

// failing receives a mistake in a line.
type failing func(line, column int, format string, args ...any)

// open returns the reader of an input.
func open(cfg Config, from io.Reader, fail failing, skip func(reason string)) (reader, error) {
	format := cfg.Format
	in := bufio.NewReaderSize(from, 256<<10)
	if head, err := in.Peek(3); err == nil && bytes.Equal(head, []byte("\xef\xbb\xbf")) { // of spreadsheets
		_, _ = in.Discard(3)
	}
	if format == Auto || format == "" {
		head, err := in.Peek(64 << 10)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		format = sniff(head, cfg.Targets)
	}
	switch format {
	case JSONLines:
		return &jsonLines{lines: lines{in: in}, fail: fail}, nil
	case Auto, CSV:
	default:
		if t, ok := cfg.Targets.Find(string(format)); ok && t.RequestLog != nil {
			return &requestLog{lines: lines{in: in}, log: t.RequestLog, fail: fail, skip: skip}, nil
		}
		return nil, fmt.Errorf("unknown format %q: want one of %s", format, strings.Join(Formats(cfg.Targets), ", "))
	}
	return newCSV(in, fail)
}

// sniff returns the format of an input that begins with head.
func sniff(head []byte, targets descriptor.List) Format {
	trimmed := bytes.TrimSpace(head)
	if bytes.HasPrefix(trimmed, []byte("{")) {
		return JSONLines
	}
	for _, t := range targets {
		if t.RequestLog != nil && t.RequestLog.Recognizes(head) {
			return Format(t.Name)
		}
	}
	return CSV
}

// lines reads lines and counts them.
type lines struct {
	in *bufio.Reader
	n  int
}

var errLong = fmt.Errorf("the line has more than %d bytes", maxLine)

// next returns the next line, valid until the next call.
func (l *lines) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxLine {
			line, err = l.in.ReadSlice('\n')
			long = append(long, line...)
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that is too long
			_, err = l.in.ReadSlice('\n')
		}
		line = long
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}
	l.n++
	if len(line) > maxLine {
		return nil, errLong
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// csvReader reads CSV with a header.
type csvReader struct {
	csv     *csv.Reader
	columns []column // of each field; -1 for others
	fail    failing
}

var errHeader = errors.New("the header is wrong")

func newCSV(in io.Reader, fail failing) (reader, error) {
	r := csv.NewReader(in)
	r.ReuseRecord, r.FieldsPerRecord, r.LazyQuotes = true, -1, false
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		fail(1, 1, "the file is empty; the first line of CSV names the columns, such as time,operation,table,key,size")
		return nil, errHeader
	}
	if err != nil {
		fail(1, 1, "%s", csvText(err))
		return nil, errHeader
	}
	c := &csvReader{csv: r, fail: fail}
	var have [numColumns]int
	names := slices.Clone(header)
	for i, name := range names {
		col, ok := columnOf(name)
		if !ok {
			c.columns = append(c.columns, -1)
			continue
		}
		if line, at := r.FieldPos(i); have[col] > 0 {
			fail(line, at, "column %s is there twice", columnNames()[col])
		}
		have[col]++
		c.columns = append(c.columns, col)
	}
	before := len(names)
	ok := true
	for _, need := range []struct {
		text string
		any  []column
	}{
		{"time or time_ms, time_us, time_ns", []column{colTime, colTimeMs, colTimeUs, colTimeNs}},
		{"operation or op", []column{colOp}},
		{"key or key_hash", []column{colKey, colHash}},
	} {
		if !slices.ContainsFunc(need.any, func(c column) bool { return have[c] > 0 }) {
			fail(1, 1, "%s among the %d columns of the first line", missing(need.text, names), before)
			ok = false
		}
	}
	if !ok {
		return nil, errHeader
	}
	return c, nil
}

// csvText returns the text of a mistake without its position.
func csvText(err error) string {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return "invalid CSV: " + p.Err.Error()
	}
	return err.Error()
}

func (c *csvReader) next(r *row) error {
	for {
		fields, err := c.csv.Read()
		if p, ok := errors.AsType[*csv.ParseError](err); ok {
			c.fail(p.Line, p.Column, "%s", csvText(err))
			continue
		}
		if err != nil {
			return err
		}
		*r = row{}
		r.line, _ = c.csv.FieldPos(0)
		if len(fields) != len(c.columns) {
			c.fail(r.line, 1, "the line has %d values, and the header %d", len(fields), len(c.columns))
			continue
		}
		for i, text := range fields {
			if col := c.columns[i]; col >= 0 {
				_, at := c.csv.FieldPos(i)
				r.set(col, text, at)
			}
		}
		return nil
	}
}

// jsonLines reads a JSON object from each line.
type jsonLines struct {
	lines

	fail failing
}

func (j *jsonLines) next(r *row) error {
	for {
		line, err := j.lines.next()
		if errors.Is(err, errLong) {
			j.fail(j.n, 1, "%s", err)
			continue
		}
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		*r = row{line: j.n}
		if at, text := readObject(line, r); text != "" {
			j.fail(j.n, at, "%s", text)
			continue
		}
		return nil
	}
}

// readObject reads the known members of a JSON object into a row. It returns the column and the text of a mistake.
func readObject(line []byte, r *row) (at int, text string) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return 1, "the line is not a JSON object, such as {\"time\":1765000000.123,\"operation\":\"READ\",\"key\":\"user1\"}"
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return int(d.InputOffset()) + 1, jsonText(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return int(d.InputOffset()) + 1, jsonText(err)
		}
		member, _ := name.(string)
		col, known := columnOf(member)
		if !known {
			continue
		}
		at := int(d.InputOffset()) - len(value) + 1
		if r.has(col) {
			return at, columnNames()[col] + " is there twice"
		}
		switch value[0] {
		case '"':
			var s string
			if err := json.Unmarshal(value, &s); err != nil {
				return at, jsonText(err)
			}
			r.set(col, s, at)
		case '{', '[', 't', 'f':
			return at, fmt.Sprintf("invalid %s: want a string or a number", columnNames()[col])
		case 'n': // null is no value
		default:
			r.set(col, string(value), at)
		}
	}
	if _, err := d.Token(); err != nil {
		return int(d.InputOffset()) + 1, jsonText(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return int(d.InputOffset()) + 1, "text after the end of the object"
	}
	return 0, ""
}

func jsonText(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "invalid JSON: the object has no end on this line"
	}
	return "invalid JSON: " + strings.TrimPrefix(err.Error(), "json: ")
}
