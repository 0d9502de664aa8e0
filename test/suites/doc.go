// Package suites holds the suite files in configs/suites against what they promise: those of published benchmarks have
// exactly the cases of published.yaml, and every trial is small.
package suites
