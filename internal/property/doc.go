// Package property defines settings: the names of properties, their values and the canonical spelling of each value.
//
//   - A Key describes one property. Its Canonical method validates a value and returns its canonical spelling.
//   - Values are validated properties, read by type.
//   - Problems are all mistakes in a submission, each with its place, its key and its cure.
//
// It contains no property names: package spec and the targets define the tables of keys.
package property
