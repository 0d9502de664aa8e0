package latency

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The compact encoding is for histograms that are kept for long and rarely read. It is a byte with its version, and then,
// deflated: the header of the encoding of AppendBinary, all gaps, all counts. A merge of many windows has few gaps and few
// different counts, so it takes a third to a half of the other encoding. (The best compression of flate would take 3 to
// 15 % less, and seven times as long.)
const compactVersion = 2

// Compactor writes and reads compact encodings, and reuses its buffers. It is not safe for concurrent use. The zero value
// is ready for use.
type Compactor struct {
	plain, counts []byte
	out           bytes.Buffer
	deflate       *flate.Writer
	in            bytes.Reader
	inflate       inflater
}

// inflater is what flate.NewReader returns, by its documentation.
type inflater interface {
	io.ReadCloser
	flate.Resetter
}

// Append appends the compact encoding of h to b.
func (c *Compactor) Append(b []byte, h *Histogram) ([]byte, error) {
	c.plain, c.counts = h.appendHeader(c.plain[:0]), c.counts[:0]
	next := 0
	for i, n := range h.all {
		c.plain = binary.AppendUvarint(c.plain, uint64(i-next))
		c.counts = binary.AppendUvarint(c.counts, n)
		next = i + 1
	}
	c.out.Reset()
	if c.deflate == nil {
		var err error
		if c.deflate, err = flate.NewWriter(&c.out, flate.BestSpeed); err != nil {
			return b, fmt.Errorf("compact histogram: %w", err)
		}
	} else {
		c.deflate.Reset(&c.out)
	}
	for _, part := range [...][]byte{c.plain, c.counts} {
		if _, err := c.deflate.Write(part); err != nil {
			return b, fmt.Errorf("compact histogram: %w", err)
		}
	}
	if err := c.deflate.Close(); err != nil {
		return b, fmt.Errorf("compact histogram: %w", err)
	}
	return append(append(b, compactVersion), c.out.Bytes()...), nil
}

// Decode returns the histogram that AppendBinary or a Compactor encoded. It checks its input as DecodeHistogram does, and an
// error is an ErrMalformed. Data may be reused afterwards.
func (c *Compactor) Decode(data []byte) (*Histogram, error) {
	if len(data) == 0 || data[0] != compactVersion {
		return DecodeHistogram(data)
	}
	return c.Take(data)
}

// Take is Decode without a copy: the histogram may keep using data, which must not change anymore.
func (c *Compactor) Take(data []byte) (*Histogram, error) {
	h := new(Histogram)
	if err := c.TakeInto(h, data); err != nil {
		return nil, err
	}
	return h, nil
}

// TakeInto makes h, which is empty, what Take returns. After an error h must not be used.
func (c *Compactor) TakeInto(h *Histogram, data []byte) error {
	if len(data) == 0 || data[0] != compactVersion {
		return h.Take(data)
	}
	plain, err := c.unpack(data[1:])
	if err != nil {
		return fmt.Errorf("decode compact histogram: %w: %w", ErrMalformed, err)
	}
	whole, err := interleave(plain)
	if err != nil {
		return fmt.Errorf("decode compact histogram: %w: %w", ErrMalformed, err)
	}
	if err := h.view(whole); err != nil {
		return fmt.Errorf("decode compact histogram: %w", err)
	}
	return nil
}

// unpack inflates; it takes no more memory than a valid histogram needs. Its result is valid until the next call.
func (c *Compactor) unpack(data []byte) ([]byte, error) {
	c.in.Reset(data)
	if c.inflate == nil {
		c.inflate = flate.NewReader(&c.in).(inflater) //nolint:errcheck // it is one
	} else if err := c.inflate.Reset(&c.in, nil); err != nil {
		return nil, err
	}
	c.out.Reset()
	n, err := c.out.ReadFrom(io.LimitReader(c.inflate, maxEncoded+1))
	if err == nil && n > maxEncoded {
		err = errors.New("larger than any histogram")
	}
	return c.out.Bytes(), errors.Join(err, c.inflate.Close())
}

// interleave converts header, gaps and counts to the other encoding. There are as many gaps as counts, so the first half of
// the varints after the header are gaps.
func interleave(plain []byte) ([]byte, error) {
	header := 0
	if len(plain) > 0 {
		header = 1
	}
	for range headerFields {
		_, size := binary.Uvarint(plain[header:])
		if size <= 0 {
			return nil, errors.New("truncated header")
		}
		header += size
	}
	gaps := plain[header:]
	numbers := 0
	for _, b := range gaps {
		if b < 0x80 { // the last byte of a varint
			numbers++
		}
	}
	if numbers%2 != 0 {
		return nil, errors.New("a gap without a count")
	}
	counts := gaps
	for left := numbers / 2; left > 0; counts = counts[1:] {
		if counts[0] < 0x80 {
			left--
		}
	}
	gaps = gaps[:len(gaps)-len(counts)]
	whole := append(make([]byte, 0, len(plain)), plain[:header]...)
	for range numbers / 2 {
		whole, gaps = moveVarint(whole, gaps)
		whole, counts = moveVarint(whole, counts)
	}
	return append(whole, counts...), nil // the rest is not a varint, and is refused later
}

func moveVarint(to, from []byte) (_, rest []byte) {
	n := 1
	for n < len(from) && from[n-1] >= 0x80 {
		n++
	}
	return append(to, from[:n]...), from[n:]
}
