package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Bounds on chunks, which bound the memory of readers.
const (
	chunkOps   = 1 << 16
	chunkBytes = 4 << 20  // of keys: a chunk ends when it has as many
	maxChunk   = 32 << 20 // of an encoded chunk before compression
)

// record is an operation of a chunk.
type record struct {
	at   int64
	key  uint32 // index of the chunk's keys
	size int32
	rows int32
	kind uint8 // index of kinds
}

// chunk is a part of a trace that can be read alone: a dictionary of keys, and the operations on them.
type chunk struct {
	records []record
	text    []byte   // of all keys
	ends    []uint32 // of each key in text
	fresh   []fresh  // rows that no earlier chunk has and that a load writes
}

// fresh is a row that a load writes, with the size of its values; 0 if unknown.
type fresh struct {
	key  uint32
	size int32
}

func (c *chunk) reset() {
	c.records, c.text, c.ends, c.fresh = c.records[:0], c.text[:0], c.ends[:0], c.fresh[:0]
}

func (c *chunk) key(i uint32) []byte {
	begin := uint32(0)
	if i > 0 {
		begin = c.ends[i-1]
	}
	return c.text[begin:c.ends[i]:c.ends[i]]
}

// append encodes the chunk, column by column: equal columns compress better.
func (c *chunk) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(c.records)))
	dst = binary.AppendUvarint(dst, uint64(len(c.ends)))
	dst = binary.AppendUvarint(dst, uint64(len(c.fresh)))
	begin := uint32(0)
	for _, end := range c.ends {
		dst = binary.AppendUvarint(dst, uint64(end-begin))
		begin = end
	}
	dst = append(dst, c.text...)
	last := uint32(0)
	for _, f := range c.fresh {
		dst = binary.AppendUvarint(dst, uint64(f.key-last))
		dst = binary.AppendUvarint(dst, uint64(f.size))
		last = f.key
	}
	before := int64(0)
	for _, r := range c.records {
		dst = binary.AppendUvarint(dst, uint64(r.at-before))
		before = r.at
	}
	for _, r := range c.records {
		dst = append(dst, r.kind)
	}
	for _, r := range c.records {
		dst = binary.AppendUvarint(dst, uint64(r.key))
	}
	for _, r := range c.records {
		dst = binary.AppendUvarint(dst, uint64(r.size))
	}
	for _, r := range c.records {
		dst = binary.AppendUvarint(dst, uint64(r.rows))
	}
	return dst
}

var errChunk = errors.New("damaged chunk")

// decoder reads an encoded chunk; after the first mistake it yields zeros.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number(most uint64) uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > most {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	return out
}

// decode reads an encoded chunk. The keys share the memory of raw.
func (c *chunk) decode(raw []byte) error {
	c.reset()
	d := &decoder{rest: raw}
	ops, err := c.decodeKeys(d)
	if err != nil {
		return err
	}
	return c.decodeRecords(d, ops)
}

// decodeRows reads only the keys of an encoded chunk and the rows that a load writes.
func (c *chunk) decodeRows(raw []byte) error {
	c.reset()
	_, err := c.decodeKeys(&decoder{rest: raw})
	return err
}

func (c *chunk) decodeKeys(d *decoder) (ops uint64, err error) {
	ops, keys, rows := d.number(chunkOps), d.number(chunkOps), d.number(chunkOps)
	if d.bad || ops == 0 || keys == 0 || keys > ops || rows > keys {
		return 0, fmt.Errorf("%w: %d operations, %d keys, %d rows", errChunk, ops, keys, rows)
	}
	c.ends = slices.Grow(c.ends, int(keys))
	total := uint64(0)
	for range keys {
		total += d.number(MaxKey)
		c.ends = append(c.ends, uint32(total))
	}
	c.text = d.bytes(total)
	last := uint64(0)
	for i := range rows {
		step := d.number(chunkOps)
		if last += step; last >= keys || i > 0 && step == 0 {
			return 0, fmt.Errorf("%w: row %d of %d", errChunk, last, keys)
		}
		c.fresh = append(c.fresh, fresh{uint32(last), int32(d.number(MaxSize))})
	}
	if d.bad {
		return 0, fmt.Errorf("%w: its keys do not fit their numbers", errChunk)
	}
	return ops, nil
}

func (c *chunk) decodeRecords(d *decoder, ops uint64) error {
	c.records = slices.Grow(c.records, int(ops))[:ops]
	at := int64(0)
	for i := range c.records {
		if at += int64(d.number(uint64(MaxLength))); at > MaxLength {
			return fmt.Errorf("%w: an operation at %d ns", errChunk, at)
		}
		c.records[i].at = at
	}
	for i, kind := range d.bytes(ops) {
		if int(kind) >= len(kinds()) {
			return fmt.Errorf("%w: kind %d of operation", errChunk, kind)
		}
		c.records[i].kind = kind
	}
	for i := range c.records {
		c.records[i].key = uint32(d.number(uint64(len(c.ends) - 1)))
	}
	for i := range c.records {
		c.records[i].size = int32(d.number(MaxSize))
	}
	for i := range c.records {
		c.records[i].rows = int32(d.number(MaxRows))
	}
	if d.bad || len(d.rest) > 0 {
		return fmt.Errorf("%w: its columns do not fit its numbers", errChunk)
	}
	return nil
}
