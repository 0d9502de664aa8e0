package wire

import "strings"

// Reason reduces gRPC's description of a failed connection to the system's error, such as "connection refused".
func Reason(err error) string {
	cause := err.Error()
	for _, layer := range []string{`desc = "`, "while dialing: ", "dial tcp: ", "dial tcp "} {
		if _, inner, found := strings.Cut(cause, layer); found {
			cause = inner
		}
	}
	cause = strings.TrimSuffix(cause, `"`)
	if _, inner, found := strings.Cut(cause, ": connect: "); found {
		cause = inner
	}
	return cause
}
