// Package soak lets a sandbox, a coordinator and three agents work at full speed for a long time (make soak FOR=30m), and measures
// their cost: memory and goroutines must stay flat, the archive must grow linearly, throughput must have no trend.
package soak
