package rpc

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Exceptionf gives an exception that a client may try again after.
func Exceptionf(class, format string, args ...any) *protocol.Exception {
	return &protocol.Exception{Class: class, Message: fmt.Sprintf(format, args...)}
}

// Finalf gives an exception that a client must not try again after.
func Finalf(class, format string, args ...any) *protocol.Exception {
	return &protocol.Exception{Class: class, Message: fmt.Sprintf(format, args...), DoNotRetry: true}
}

// AsException gives the exception that an error is, or a plain one of its text.
func AsException(err error) *protocol.Exception {
	if e, ok := errors.AsType[*protocol.Exception](err); ok {
		return e
	}
	return &protocol.Exception{Class: "java.io.IOException", Message: err.Error()}
}

// Unsupported is the answer to a call that the sandbox lacks. Java's client can only make exceptions of HBase's and of java.io,
// so that the one that it means is in the message, as in HBase's own answers of the kind.
func Unsupported(method []byte) *protocol.Exception {
	return Finalf("org.apache.hadoop.hbase.DoNotRetryIOException",
		"java.lang.UnsupportedOperationException: the sandbox has no %s (docs/sandbox.md)", method)
}
