package latency

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Point is one operation: the index of its series, when it was done, and its times, all in nanoseconds.
type Point struct {
	Series                  int
	Done, Response, Service int64
}

// The records of raw points. A point of series i begins with firstPoint+i.
const (
	segmentRecord = iota
	endRecord
	firstPoint
)

// Bounds on the input.
const (
	maxPointSeries = 1 << 12
	maxPointText   = 1 << 8
)

var errPoints = errors.New("malformed raw points")

// PointsWriter writes raw points, segment by segment.
type PointsWriter struct {
	w    *bufio.Writer
	b    []byte
	done int64
}

// NewPointsWriter returns a writer to w; Flush completes the output.
func NewPointsWriter(w io.Writer) *PointsWriter {
	return &PointsWriter{w: bufio.NewWriterSize(w, 1<<16)}
}

// Segment begins the points of a phase, and of the phases that join it.
func (p *PointsWriter) Segment(phase string, keys []Key) error {
	b := binary.AppendUvarint(p.b[:0], segmentRecord)
	b = appendText(b, phase)
	b = binary.AppendUvarint(b, uint64(len(keys)))
	for _, k := range keys {
		b = appendText(appendText(appendText(b, k.Op), k.Outcome), k.PartOf)
	}
	p.b, p.done = b, 0
	_, err := p.w.Write(b)
	return err
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// Add writes a point.
func (p *PointsWriter) Add(x Point) error {
	b := binary.AppendUvarint(p.b[:0], firstPoint+uint64(x.Series))
	b = binary.AppendVarint(b, x.Done-p.done)
	b = binary.AppendVarint(b, x.Service)
	b = binary.AppendVarint(b, x.Response-x.Service)
	p.b, p.done = b, x.Done
	_, err := p.w.Write(b)
	return err
}

// End ends a segment, and records how many points could not be kept.
func (p *PointsWriter) End(lost uint64) error {
	p.b = binary.AppendUvarint(binary.AppendUvarint(p.b[:0], endRecord), lost)
	if _, err := p.w.Write(p.b); err != nil {
		return err
	}
	return p.w.Flush()
}

// PointsReader receives the points that ReadPoints reads. An error ends the reading.
type PointsReader struct {
	Segment func(phase string, keys []Key) error
	Point   func(Point) error
	End     func(lost uint64) error
}

// ReadPoints reads raw points. Input that ends within a segment is malformed.
func ReadPoints(from io.Reader, to PointsReader) error {
	r := bufio.NewReader(from)
	var keys []Key
	done, within := int64(0), false
	for {
		kind, err := binary.ReadUvarint(r)
		switch {
		case errors.Is(err, io.EOF) && !within:
			return nil
		case err != nil:
			return fmt.Errorf("read raw points: %w", err)
		case kind == segmentRecord && !within:
			var phase string
			if phase, keys, err = readSegment(r); err != nil {
				return fmt.Errorf("read raw points: %w", err)
			}
			done, within, err = 0, true, to.Segment(phase, keys)
		case kind == endRecord && within:
			var lost uint64
			if lost, err = binary.ReadUvarint(r); err != nil {
				return fmt.Errorf("read raw points: %w", err)
			}
			within, err = false, to.End(lost)
		case within && kind-firstPoint < uint64(len(keys)):
			var x [3]int64
			for i := range x {
				if x[i], err = binary.ReadVarint(r); err != nil {
					return fmt.Errorf("read raw points: %w", err)
				}
			}
			done += x[0]
			err = to.Point(Point{Series: int(kind - firstPoint), Done: done, Service: x[1], Response: x[1] + x[2]})
		default:
			err = errPoints
		}
		if err != nil {
			return err
		}
	}
}

func readSegment(r *bufio.Reader) (phase string, keys []Key, err error) {
	if phase, err = readText(r); err != nil {
		return "", nil, err
	}
	n, err := binary.ReadUvarint(r)
	if err != nil || n > maxPointSeries {
		return "", nil, errors.Join(errPoints, err)
	}
	for range n {
		var k Key
		for _, text := range []*string{&k.Op, &k.Outcome, &k.PartOf} {
			if *text, err = readText(r); err != nil {
				return "", nil, err
			}
		}
		keys = append(keys, k)
	}
	return phase, keys, nil
}

func readText(r *bufio.Reader) (string, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil || n > maxPointText {
		return "", errors.Join(errPoints, err)
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return string(b), err
}

// pointsComment is the prefix of the comment of a gzip member with the points of one window.
const pointsComment = "window "

// PointsComment is the comment of the gzip member with the points of a window, which its number in the segment identifies.
// Readers that ignore the comment read all windows.
func PointsComment(window int) string { return pointsComment + strconv.Itoa(window) }

// PointsWindow returns the window of a gzip member by its comment; ok is false if the member has the points of a segment.
func PointsWindow(comment string) (window int, ok bool) {
	text, ok := strings.CutPrefix(comment, pointsComment)
	if !ok {
		return 0, false
	}
	window, err := strconv.Atoi(text)
	return window, err == nil && window >= 0
}
