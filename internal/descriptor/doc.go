// Package descriptor describes systems under test, such as their names and properties, without connecting to them.
//
// Package spec reads submissions with these descriptions. The description of a target is beside its driver; package target
// lists all of them.
package descriptor
