// Package memory lends the memory of large requests and answers.
//
// Workers and connections reuse their own buffers as long as these are small. A large buffer belongs to a Pool after each use, from
// which any worker takes it again: the memory of large values follows from the operations that are under way, not from the number
// of workers that ever had one. The garbage collector empties a Pool that is not used.
package memory

import (
	"math/bits"
	"sync"
)

const (
	// Keep is the capacity of the largest buffer that a worker or connection keeps for its next use.
	Keep = 64 << 10
	// most is the capacity of the largest buffer that a Pool keeps.
	most = 16 << 20
	// steps is how many capacities there are between one power of two and the next: a buffer is at most a quarter too large.
	steps = 4
)

// Pool keeps large buffers. A nil Pool keeps none. Its methods may be called from several goroutines.
type Pool struct {
	classes [steps * 8]sync.Pool // of *[]byte, by capacity
}

// class returns the index and the capacity of the smallest buffers that hold n bytes, which are more than Keep.
func class(n int) (index, capacity int) {
	power := bits.Len(uint(n-1)) - 1 // 2^power < n <= 2^(power+1)
	step := 1 << (power - 2)
	above := (n - 1) >> (power - 2) & (steps - 1)
	return (power-bits.Len(Keep)+1)*steps + above, (steps + above + 1) * step
}

// get returns an empty buffer for n bytes.
func (p *Pool) get(n int) []byte {
	if n <= Keep || n > most {
		return make([]byte, 0, n)
	}
	index, capacity := class(n)
	if p != nil {
		if b, ok := p.classes[index].Get().(*[]byte); ok {
			return *b
		}
	}
	return make([]byte, 0, capacity)
}

// Put takes a buffer that is no longer used.
func (p *Pool) Put(b []byte) {
	n := cap(b)
	if p == nil || n <= Keep || n > most {
		return
	}
	if index, capacity := class(n); n == capacity { // otherwise it is not of a Pool
		b = b[:0]
		p.classes[index].Put(&b)
	}
}

// Grow returns a buffer with the content of b and room for n more bytes: b itself if it has the room, otherwise b is no longer used.
func (p *Pool) Grow(b []byte, n int) []byte {
	need := len(b) + n
	if need <= cap(b) {
		return b
	}
	if need = max(need, len(b)+len(b)/2); need <= Keep {
		need = min(max(need, 2*cap(b)), Keep)
	}
	grown := append(p.get(need), b...)
	p.Put(b)
	return grown
}

// Release returns an empty buffer for the next use: b, or nil if it is so large that the Pool takes it.
func (p *Pool) Release(b []byte) []byte {
	if cap(b) <= Keep {
		return b[:0]
	}
	p.Put(b)
	return nil
}
