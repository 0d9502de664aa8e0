package hdfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/colinmarc/hdfs/v2"
)

// Error is an answer of HDFS, or the lack of one.
type Error struct {
	Passing bool // another try may succeed without a change by the operator

	text  string
	cause error
}

// Error names the cure.
func (e *Error) Error() string { return e.text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// answer is an exception of a namenode.
type answer interface {
	error
	hdfs.Error
}

// explain returns an error with the cure.
func (f *Folder) explain(err error) error {
	namenodes := strings.Join(f.config.Namenodes, ", ")
	e := &Error{cause: err, text: fmt.Sprintf("HDFS at %s: %v", namenodes, err)}
	exception, answered := errors.AsType[answer](err)
	switch {
	case errors.Is(err, fs.ErrPermission): // the client drops the rest of the answer
		e.text += fmt.Sprintf(" for user %s: let that user write there (hdfs dfs -chown or -chmod), or name another one with hadoop.user.name", f.config.User)
	case answered && strings.HasSuffix(exception.Exception(), ".SafeModeException"):
		e.text = fmt.Sprintf("HDFS at %s is in safe mode and takes no files: wait until it has left it (hdfs dfsadmin -safemode get), or end it", namenodes)
	case answered:
		e.text += ": " + firstLine(exception.Message())
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrInvalid), errors.Is(err, fs.ErrNotExist):
	case strings.Contains(err.Error(), "unexpected sequence number"): // an answer to no call
		e.text = fmt.Sprintf("HDFS at %s refuses the connection: if it requires Kerberos, with which benchd does not write to HDFS, load with hbase.load.method=put; its log has the reason", namenodes)
	case strings.Contains(err.Error(), "no available namenodes"):
		e.Passing = true
		e.text += "; check the address; a name service needs the addresses of its namenodes (hbase.bulkload.namenodes, or --hbase-conf with hdfs-site.xml)"
	default:
		e.Passing = true
	}
	return e
}

// firstLine returns a message without the stack of calls below it.
func firstLine(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	return line
}
