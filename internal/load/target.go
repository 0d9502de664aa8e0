package load

import (
	"context"
	"log/slog"

	"github.com/benchd/benchd/internal/workload"
)

// Target is a system under test as one agent sees it. Its methods may be called from several goroutines.
type Target interface {
	// Open gives the shard's worker of that index its own handle.
	Open(ctx context.Context, worker int) (Session, error)
	// Close lets go of what all sessions share.
	Close() error
}

// Session is one worker's handle on a Target; it is used by one goroutine at a time.
type Session interface {
	// Do carries out op and waits for its end. It obeys ctx, which is the same for all operations of a phase:
	// a context for each would cost more than an operation. How long one operation may take is the target's
	// business; ctx ends when the runner waits no longer for operations in flight.
	Do(ctx context.Context, op *workload.Op) workload.Outcome
	// Close ends the session; buffered writes reach the target before it returns. Its error counts: it may be
	// the only one that says that a write was lost.
	Close(ctx context.Context) error
}

// Buffering is a Session that may keep writes back.
type Buffering interface {
	Session
	// Buffer reports what the last operation did with the buffer.
	Buffer() BufferUse
	// Lost lists the writes that failed when the buffer was sent the last time, in their order; nil when none did. It is
	// asked after an operation that has sent the buffer, and after Close.
	Lost() []Lost
}

// BufferUse is what an operation did with the buffer of its session. It is not a field of workload.Outcome: that has as
// many fields as the compiler keeps in registers.
type BufferUse int8

const (
	// Unbuffered operations have ended at the target.
	Unbuffered BufferUse = iota
	// Held writes are in the buffer: the target does not have them.
	Held
	// Sent says that the operation has sent the buffer: each of its writes has ended, with this operation or before.
	Sent
)

// Lost is a write that was in a buffer and has failed.
type Lost struct {
	Write int   // its place in the buffer, from 0
	Rows  int32 // of it that were not written
	Code  workload.Code
	Err   error
}

// Settings is what a driver opens a Target with.
type Settings struct {
	Properties map[string]string // of the case, resolved
	Workload   workload.Config   // that they describe
	Run        string
	Agent      string
	Shard      int
	Seed       uint64
	Logger     *slog.Logger

	// WriteBelow is the only folder of this machine in which a property may have files written; none where it is empty.
	WriteBelow string

	// PlainTimers has a target that simulates times wait by alarm.NewPlain.
	PlainTimers bool
	// KnownIO has a target make no raw system calls (package rawio).
	KnownIO bool
}

// Driver connects to one kind of system. It fails within a bound of its own when the system is not there.
type Driver func(ctx context.Context, s Settings) (Target, error)

// Admin is a Target on which set-up and actions can be carried out.
type Admin interface {
	// Prepare makes the target fit for the run: tables, splits.
	Prepare(ctx context.Context) error
}

// Observer is a Target that reports figures of its own.
type Observer interface {
	// Facts describes the target: version, main settings.
	Facts(ctx context.Context) (map[string]string, error)
}

// Retrier is a Target whose client tries again by itself within an operation, and counts why.
type Retrier interface {
	// Retries reports how many attempts were followed by another so far, by cause: a short name such as
	// "NotServingRegionException". There are at most some dozens of causes, and counts never fall. It is called once for each
	// window, and may allocate; counting must not.
	Retries() map[string]uint64
}

// Counter is a Target that counts what befalls its client beside operations: retries, connections that broke.
type Counter interface {
	// Counts returns how often each has happened so far, by a short name in the singular such as "retry". Counts never fall.
	// It is called now and then, from any goroutine.
	Counts() map[string]uint64
}
