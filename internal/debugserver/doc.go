// Package debugserver serves a program's metrics, health and profiles over HTTP:
//
//  1. NewRegistry makes the program's only metrics registry, with the metrics of Go, the process and the build.
//  2. A Server serves /metrics from the registry, /healthz while the process is alive, /readyz when it is ready, and the
//     owner's own paths; Go's profiles only if enabled.
//  3. With TLS the identity of the peer is that of its certificate. It is in the request's context, and Allow may refuse it.
//  4. Below the owner's trees a browser may have a session instead, which the owner knows.
package debugserver
