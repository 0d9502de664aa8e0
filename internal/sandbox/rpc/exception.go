package rpc

import (
	"errors"
	"fmt"

	"github.com/benchd/benchd/internal/target/hbase/protocol"
)

// Exceptionf makes an exception after which a client may retry.
func Exceptionf(class, format string, args ...any) *protocol.Exception {
	return &protocol.Exception{Class: class, Message: fmt.Sprintf(format, args...)}
}

// Finalf makes an exception after which a client must not retry.
func Finalf(class, format string, args ...any) *protocol.Exception {
	return &protocol.Exception{Class: class, Message: fmt.Sprintf(format, args...), DoNotRetry: true}
}

// AsException returns the exception in an error, or a plain one with its text.
func AsException(err error) *protocol.Exception {
	if e, ok := errors.AsType[*protocol.Exception](err); ok {
		return e
	}
	return &protocol.Exception{Class: "java.io.IOException", Message: err.Error()}
}

// Unsupported is the answer to a call that the sandbox lacks. Java's client can construct only exceptions of HBase and
// of java.io, so the message names the real class, as in similar answers of HBase.
func Unsupported(method []byte) *protocol.Exception {
	return Finalf("org.apache.hadoop.hbase.DoNotRetryIOException",
		"java.lang.UnsupportedOperationException: the sandbox has no %s (docs/sandbox.md)", method)
}
