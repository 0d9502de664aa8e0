package rpc

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/golang/snappy"
)

// The classes of Hadoop's codecs for cell blocks.
const (
	snappyClass = "org.apache.hadoop.io.compress.SnappyCodec"
	gzipClass   = "org.apache.hadoop.io.compress.GzipCodec"
	zlibClass   = "org.apache.hadoop.io.compress.DefaultCodec"
)

// maxBlock bounds a decompressed cell block.
const maxBlock = 128 << 20

// snappyChunk is the size of a chunk: Hadoop's buffer minus snappy's maximum overhead.
const snappyChunk = 218_422

var errCompressed = errors.New("malformed compressed cell block")

// compressor compresses and decompresses cell blocks.
type compressor interface {
	compress(dst, block []byte) ([]byte, error)
	decompress(dst, packed []byte) ([]byte, error)
	// most bounds the decompressed length of a block.
	most(packed []byte) int
}

func compressorOf(class string) (compressor, error) {
	switch class {
	case "":
		return nil, nil //nolint:nilnil // without a compressor blocks are not compressed
	case snappyClass:
		return hadoopSnappy{}, nil
	case gzipClass:
		return streamed{
			func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
			func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
		}, nil
	case zlibClass:
		return streamed{func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, zlib.NewReader}, nil
	default:
		return nil, fmt.Errorf("unknown compressor %s; the sandbox has %s, %s and %s", class, snappyClass, gzipClass, zlibClass)
	}
}

// hadoopSnappy is Hadoop's block stream: the length of each block precedes its chunks, the length of each chunk
// precedes its bytes.
type hadoopSnappy struct{}

func (hadoopSnappy) compress(dst, block []byte) ([]byte, error) {
	for len(block) > 0 {
		chunk := block[:min(len(block), snappyChunk)]
		block = block[len(chunk):]
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(chunk)))
		at := len(dst)
		most := snappy.MaxEncodedLen(len(chunk))
		dst = append(dst, make([]byte, 4+most)...)
		packed := snappy.Encode(dst[at+4:], chunk)
		binary.BigEndian.PutUint32(dst[at:], uint32(len(packed)))
		dst = dst[:at+4+len(packed)]
	}
	return dst, nil
}

func (hadoopSnappy) decompress(dst, packed []byte) ([]byte, error) {
	for len(packed) > 0 {
		if len(packed) < 4 {
			return nil, errCompressed
		}
		block := uint64(binary.BigEndian.Uint32(packed))
		packed = packed[4:]
		for block > 0 {
			if len(packed) < 4 {
				return nil, errCompressed
			}
			length := uint64(binary.BigEndian.Uint32(packed))
			if length > uint64(len(packed)-4) {
				return nil, errCompressed
			}
			chunk := packed[4 : 4+length]
			packed = packed[4+length:]
			plain, err := snappy.DecodedLen(chunk)
			if err != nil || plain == 0 || uint64(plain) > block || len(dst)+plain > maxBlock || plain > maxSnappyRatio*len(chunk) {
				return nil, errCompressed
			}
			at := len(dst)
			dst = append(dst, make([]byte, plain)...)
			if _, err := snappy.Decode(dst[at:], chunk); err != nil {
				return nil, errCompressed
			}
			block -= uint64(plain)
		}
	}
	return dst, nil
}

func (hadoopSnappy) most(packed []byte) int { return min(maxBlock, maxSnappyRatio*len(packed)) }

// maxSnappyRatio is above snappy's maximum: a copy of 64 bytes takes at least two. A chunk that claims a higher ratio
// gets no memory.
const maxSnappyRatio = 64

// streamed is a format of the standard library.
type streamed struct {
	writer func(io.Writer) io.WriteCloser
	reader func(io.Reader) (io.ReadCloser, error)
}

func (s streamed) compress(dst, block []byte) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	w := s.writer(out)
	if _, err := w.Write(block); err != nil {
		return nil, fmt.Errorf("compress cell block: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress cell block: %w", err)
	}
	return out.Bytes(), nil
}

// most relies on deflate's best ratio: 258 bytes in two bits.
func (streamed) most(packed []byte) int { return min(maxBlock, 1032*len(packed)+64) }

func (s streamed) decompress(dst, packed []byte) ([]byte, error) {
	r, err := s.reader(bytes.NewReader(packed))
	if err != nil {
		return nil, errCompressed
	}
	out := bytes.NewBuffer(dst)
	n, err := io.Copy(out, io.LimitReader(r, maxBlock+1))
	if err != nil || n > maxBlock {
		return nil, errCompressed
	}
	return out.Bytes(), nil
}
