package descriptor

import "time"

// RequestLog reads the log of requests that a system writes.
type RequestLog struct {
	// Doc describes the log in a few words.
	Doc string
	// Recognizes reports whether a file that begins with head is such a log.
	Recognizes func(head []byte) bool
	// Read reads a line. A line without a request gives nil; skipped is why a request cannot be captured, as a noun in the plural.
	// The column of an error is its place in the line, from 1.
	Read func(line []byte) (r *Request, skipped string, column int, err error)
}

// Request is a request in such a log.
type Request struct {
	At        time.Duration // since 1970
	Operation string
	Table     string
	Key       []byte
	Size      int // of the values; 0 if unknown
}
