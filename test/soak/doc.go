// Package soak lets a sandbox, a coordinator and three agents work at full speed for long (make soak FOR=30m), and looks
// at what they cost meanwhile: memory and goroutines must stay flat, the archive must grow in a line, throughput must
// have no trend.
package soak
