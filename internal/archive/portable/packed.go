package portable

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"
)

// plainReader returns errors that describe the damage of the deflated form.
type plainReader struct {
	zip    *gzip.Reader
	packed *countedReader
	size   int64 // read from zip
}

// Read refuses a file that is made to fill the disk: a small one that unpacks to a large one.
func (p *plainReader) Read(b []byte) (int, error) {
	n, err := p.zip.Read(b)
	if p.size += int64(n); p.size > ratioFrom && p.size > maxRatio*p.packed.size {
		return 0, Damaged("its content is more than %d times as large as the file", maxRatio)
	}
	return n, gzipError(err)
}

// countedReader counts what is read.
type countedReader struct {
	in   io.Reader
	size int64
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.size += int64(n)
	return n, err //nolint:wrapcheck // io.EOF and the errors of the source are for gzip
}

func gzipError(err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Damaged("it is truncated")
	case errors.Is(err, gzip.ErrHeader):
		return Damaged("it is not a suite exported by benchctl")
	case errors.Is(err, gzip.ErrChecksum) || strings.HasPrefix(err.Error(), "flate: "):
		return Damaged("its content is corrupt (%v)", err)
	}
	return err
}
