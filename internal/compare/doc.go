// Package compare says whether numbers differ, by tests that have names. It is pure.
//
//   - Steady: whether a series of intervals has stopped changing.
package compare
