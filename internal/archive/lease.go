package archive

import (
	"context"
	"errors"
	"time"
)

// ErrFenced reports a write or a renewal of a coordinator that does not lead: another one has taken the lease since, or nobody has it.
// Nothing of the write is stored.
var ErrFenced = errors.New("another coordinator leads")

// Times of a lease. The clock of the archive's server counts LeaseTTL, so that the clocks of coordinators do not matter.
const (
	LeaseTTL   = 6 * time.Second // how long a lease is valid after it was taken or renewed
	LeaseRenew = 2 * time.Second // the pause between two renewals of the leader
	LeaseLook  = time.Second     // the pause between two attempts of a standby
)

// Leader is who holds the lease of an archive.
type Leader struct {
	Boot string // of the process; unique
	RPC  string // HOST:PORT of gRPC for clients, as the leader advertises it
	HTTP string // HOST:PORT of HTTP for clients; with https:// in front if it uses TLS
	Term int64  // the fencing token: it grows with each new leader
}

// Lease lets one of several coordinators lead that share an archive. Only the leader writes: every write of the archive checks the term, in
// its own transaction, and fails with ErrFenced if another process has taken the lease since. A write that has begun before that is either
// part of what the next leader reads, or refused.
type Lease interface {
	// Lead takes the lease if nobody has it, or if that of another process has ended, and returns who leads: me, with its term, or another
	// process. A process that leads already gets its own term again, and its lease is renewed. Its error is ErrNewer if a newer benchd has led
	// meanwhile and has changed the tables: then this process never will.
	Lead(ctx context.Context, me Leader) (Leader, error)
	// Renew extends the lease by LeaseTTL. Its error is ErrFenced if the process does not lead any more: then it never will in this term. After
	// any other error the lease may have been extended or not.
	Renew(ctx context.Context) error
	// Yield ends the lease, so that another process can take it at once. Writes that follow are refused. Without the lease it does nothing.
	Yield(ctx context.Context) error
}

// Keeper keeps small records beside the suites, such as the used join tokens, so that the next leader finds them on any host. An archive whose
// coordinator keeps them as files, like that in SQLite, does not implement it.
//
// A name consists of up to 200 printable ASCII characters; its parts are separated by slashes. A content has at most MaxKept bytes. Writes are
// on the disk when they return, and are refused with ErrFenced as all others.
type Keeper interface {
	// Keep stores a record, instead of one with the same name.
	Keep(ctx context.Context, name string, content []byte) error
	// Kept returns a record. Its error is ErrNotFound if there is none.
	Kept(ctx context.Context, name string) ([]byte, error)
	// KeptNames returns the names that begin with a prefix, sorted by their bytes.
	KeptNames(ctx context.Context, prefix string) ([]string, error)
	// Drop removes all records whose names begin with a prefix, in one transaction. It is no error if there are none.
	Drop(ctx context.Context, prefix string) error
}

// MaxKept bounds the content of a record of a Keeper.
const MaxKept = 4 << 20

// KeptResults begins the names of records that are computed from suites. They save time, and can be computed again at any time: a copy of an
// archive leaves them out.
const KeptResults = "results/"
