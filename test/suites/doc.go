// Package suites checks the suite files in configs/suites: those of published benchmarks have exactly the cases of
// published.yaml, and every trial is small.
package suites
