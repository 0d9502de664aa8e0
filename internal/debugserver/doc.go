// Package debugserver serves what a program reports of itself:
//
//  1. NewRegistry makes the one registry of metrics that is handed down, with those of Go, of the process and of the build.
//  2. A Server answers HTTP: /metrics from the registry, /healthz while the process lives, /readyz when it is fit
//     for its work, and what else its owner gives it; Go's profiles only when asked for.
package debugserver
