package rpc

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// crew counts the workers of this process.
var crew atomic.Int64 //nolint:gochecknoglobals // whose processors they share

// Join counts a worker in until leave is called. The only one of a process has its thread wait for its answers: see
// linger.
func Join() (leave func()) {
	crew.Add(1)
	return func() { crew.Add(-1) }
}

// lingers is how long a thread waits at a time. Answers that take longer are waited for as those of many workers are; and
// a worker may yield so much later.
const lingers = 5 * time.Millisecond

// linger waits until there is something to be read, for a moment at most, if this is the process's only worker. Such a
// worker, when it just reads, is put aside by the runtime, which looks for other work, finds none, and sleeps until the
// network wakes it: that costs a third more processor time than a thread that waits in the kernel. Where there is other
// work the runtime had better do it; and a thread that waits holds one of its processors, so it needs another.
func (c *Conn) linger() {
	if c.raw != nil && crew.Load() == 1 {
		_ = c.raw.Control(stare) // what is wrong with the connection, reading it will tell
	}
}

// stare waits in the kernel for something to be read.
func stare(fd uintptr) {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // no file has a number that large
	_, _ = unix.Poll(fds[:], int(lingers.Milliseconds()))       // time over or interrupted: reading goes on to wait
}
