package rpc

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Exception is one of Java's, as a client of HBase knows it.
type Exception struct {
	Class      string
	Message    string
	DoNotRetry bool
	// Host and Port are where a region has moved to.
	Host string
	Port int
}

// Error makes an Exception an error.
func (e *Exception) Error() string { return e.Class + ": " + e.Message }

// Exceptionf gives an exception that a client may try again after.
func Exceptionf(class, format string, args ...any) *Exception {
	return &Exception{Class: class, Message: fmt.Sprintf(format, args...)}
}

// Finalf gives an exception that a client must not try again after.
func Finalf(class, format string, args ...any) *Exception {
	return &Exception{Class: class, Message: fmt.Sprintf(format, args...), DoNotRetry: true}
}

// AsException gives the exception that an error is, or a plain one of its text.
func AsException(err error) *Exception {
	if e, ok := errors.AsType[*Exception](err); ok {
		return e
	}
	return &Exception{Class: "java.io.IOException", Message: err.Error()}
}

// Append appends the exception as HBase's ExceptionResponse.
func (e *Exception) append(b []byte) []byte {
	b = protowire.AppendString(protowire.AppendTag(b, 1, protowire.BytesType), e.Class)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), e.Error())
	if e.Host != "" {
		b = protowire.AppendString(protowire.AppendTag(b, 3, protowire.BytesType), e.Host)
		b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), uint64(e.Port))
	}
	return protowire.AppendVarint(protowire.AppendTag(b, 5, protowire.VarintType), protowire.EncodeBool(e.DoNotRetry))
}

// Unsupported is the answer to a call that the sandbox lacks. Java's client can only make exceptions of HBase's and of java.io,
// so that the one that it means is in the message, as in HBase's own answers of the kind.
func Unsupported(method []byte) *Exception {
	return Finalf("org.apache.hadoop.hbase.DoNotRetryIOException",
		"java.lang.UnsupportedOperationException: the sandbox has no %s (docs/sandbox.md)", method)
}
