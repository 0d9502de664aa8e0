// Package wiretest helps tests to send what no program of benchd sends.
package wiretest

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
)

// Raw is a codec that sends slices of bytes as they are, and ignores what it receives.
type Raw struct{}

var _ encoding.CodecV2 = Raw{}

// Name returns the name of the usual codec, so that peers decode what arrives.
func (Raw) Name() string { return "proto" }

// Marshal returns a []byte as it is.
func (Raw) Marshal(v any) (mem.BufferSlice, error) {
	b, _ := v.([]byte)
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

// Unmarshal does nothing.
func (Raw) Unmarshal(mem.BufferSlice, any) error { return nil }
