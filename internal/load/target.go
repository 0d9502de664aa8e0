package load

import (
	"context"
	"log/slog"
	"time"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/workload"
)

// Target is a system under test as one agent sees it. Its methods may be called from several goroutines.
type Target interface {
	// Open opens a session for the shard's worker with that index.
	Open(ctx context.Context, worker int) (Session, error)
	// Close releases the resources that all sessions share.
	Close() error
}

// Session is one worker's handle on a Target; it is used by one goroutine at a time.
type Session interface {
	// Do executes op and returns when it has ended. It obeys ctx, which is the same for all operations of a phase: a
	// context for each would cost more than an operation. The target itself bounds the time of a single operation; ctx
	// ends when the runner stops waiting for operations in flight.
	Do(ctx context.Context, op *workload.Op) workload.Outcome
	// Close ends the session; buffered writes are sent before it returns. Its error counts: it may be the only sign of a
	// lost write.
	Close(ctx context.Context) error
}

// Buffering is a Session that may buffer writes.
type Buffering interface {
	Session
	// Buffer reports what the last operation did with the buffer.
	Buffer() BufferUse
	// Lost returns the writes that failed in the last flush, in their order; nil for none. It is called after an
	// operation that has sent the buffer, and after Close.
	Lost() []Lost
}

// Staged is a Target whose inserts of a load have stages of their own, such as the files of a bulk load. Each is a series, as a part of
// INSERT.
type Staged interface {
	Target
	// Stages names the stages; nil for none. Its sessions are then StagedSessions.
	Stages() []string
}

// StagedSession is a Session of a Staged.
type StagedSession interface {
	Session
	// Stages calls take for each stage that has succeeded since the last call. It is called after an operation that has sent the buffer,
	// and after Close.
	Stages(take func(stage int, took time.Duration))
}

// Placed is a Session whose MultiRow writes rows of one place only, such as a region of a table.
type Placed interface {
	Session
	// Place returns a function that reports whether another key is in the same place as key, or nil if that is not known. It is
	// valid until the next call. Place is called before an operation, and must not wait.
	Place(key []byte) func(key []byte) bool
}

// BufferUse is what an operation did with the buffer of its session. It is not a field of workload.Outcome, which has as
// many fields as the compiler keeps in registers.
type BufferUse int8

const (
	// Unbuffered operations have ended at the target.
	Unbuffered BufferUse = iota
	// Held writes are in the buffer: the target does not have them.
	Held
	// Sent operations have sent the buffer: each of its writes has ended.
	Sent
)

// Lost is a buffered write that has failed.
type Lost struct {
	Write int   // its place in the buffer, from 0
	Rows  int32 // of it that were not written
	Code  workload.Code
	Err   error
}

// Settings are the settings with which a driver opens a Target.
type Settings struct {
	Properties map[string]string // of the case, resolved
	Workload   workload.Config   // described by Properties
	Run        string
	Agent      string
	Shard      int
	Seed       uint64
	Logger     *slog.Logger

	// Dial is the only way to connect to the target and its servers. The default reaches private networks and loopback.
	Dial *outbound.Dialer
	// WriteBelow is the only folder in which a property may create files, or the URL of one in a file system of its own (hdfs://); empty
	// for none.
	WriteBelow string

	// Secrets are what the agent's operator releases to runs; Secret reads them.
	Secrets secret.Resolver

	// Credential is what the agent's operator gives it to prove itself to targets.
	Credential *credential.Credential

	// PlainTimers makes a target that simulates latencies wait by alarm.NewPlain.
	PlainTimers bool
	// KnownIO makes a target avoid raw system calls (package rawio).
	KnownIO bool
}

// Secret resolves a property of the kind property.Secret. An unset property is an empty secret.
func (s Settings) Secret(name string) (secret.Value, error) {
	return s.Secrets.Property(s.Properties, name) //nolint:wrapcheck // it names the property
}

// Driver connects to one kind of system. It fails within a bound of its own when the system is not available.
type Driver func(ctx context.Context, s Settings) (Target, error)

// Admin is a Target that supports set-up and actions.
type Admin interface {
	// Prepare sets the target up for the run: tables, splits.
	Prepare(ctx context.Context) error
}

// Observer is a Target that reports facts about itself.
type Observer interface {
	// Facts describes the target: version, main settings.
	Facts(ctx context.Context) (map[string]string, error)
}

// Retrier is a Target whose client retries within an operation, and counts the causes.
type Retrier interface {
	// Retries returns the number of retries so far, by cause: a short name such as "NotServingRegionException". There are
	// at most some dozens of causes, and counts never fall. It is called once for each window, and may allocate; counting
	// must not.
	Retries() map[string]uint64
}

// Counter is a Target that counts events of its client besides operations: retries, broken connections.
type Counter interface {
	// Counts returns how often each has happened so far, by a short name in the singular such as "retry". Counts never fall.
	// It is called now and then, from any goroutine.
	Counts() map[string]uint64
}
