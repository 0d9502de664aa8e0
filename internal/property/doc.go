// Package property is the vocabulary of settings: what a property is called, what values it takes and how each is spelled.
//
//   - A Key describes one property. Its Canonical checks a value and returns the one spelling of what it means.
//   - Values are checked properties, read by type.
//   - Problems are all mistakes of a user's, each with its place, its key and its cure.
//
// It knows no property by name: the tables of keys are package spec's and the targets'.
package property
