// Package alarm waits precisely. The runtime's own timers are rounded up to a millisecond when a processor idles;
// what is said to happen at an instant would happen half an operation late at a thousand operations per second.
//
//  1. An Alarm has one goroutine wait, without a thread or a processor of its own.
//  2. A SharedTimer has any number of goroutines wait, each for an instant of its own, by one timer of the system.
//
// Both are late by some tens of microseconds, where the system has a precise timer.
package alarm
