// Package alarm waits precisely. The runtime's own timers are rounded up to a millisecond when a processor idles: at a
// thousand operations per second, each would be late by half the time between two operations.
//
//  1. An Alarm makes one goroutine wait, without a thread or a processor of its own.
//  2. A SharedTimer makes any number of goroutines wait, each for its own instant, with one timer of the system.
//
// Both are late by some tens of microseconds if the system has a precise timer.
package alarm
