package archive

import (
	"errors"
	"fmt"
)

// Errors of an archive. Errors of an implementation match them by errors.Is; their text names the file and the cure and can
// be shown to a user.
var (
	ErrNewer       = errors.New("archive was written by a newer benchd")
	ErrLocked      = errors.New("data directory is in use")
	ErrNotWritable = errors.New("archive is not writable")
	ErrFull        = errors.New("disk is full")
	ErrNotArchive  = errors.New("file is not a benchd archive")
	ErrCorrupt     = errors.New("archive is damaged")
)

// Errors of a request.
var (
	ErrNotFound = errors.New("not in the archive")
	ErrExists   = errors.New("already in the archive")
	ErrNotEnded = errors.New("has not ended")
	ErrEnded    = errors.New("has ended")
	ErrDamaged  = errors.New("file is damaged") // of an exported suite
	ErrInvalid  = errors.New("cannot be stored")
)

// Fault is an error with a kind for callers, a text for users, and its cause.
type Fault struct {
	Kind  error // one of the errors above
	Text  string
	Cause error // may be nil
}

func (f *Fault) Error() string { return f.Text }

// Unwrap returns the kind and the cause.
func (f *Fault) Unwrap() []error {
	if f.Cause == nil {
		return []error{f.Kind}
	}
	return []error{f.Kind, f.Cause}
}

// Faultf returns a Fault whose text is formatted.
func Faultf(kind, cause error, format string, args ...any) error {
	return &Fault{Kind: kind, Cause: cause, Text: fmt.Sprintf(format, args...)}
}
