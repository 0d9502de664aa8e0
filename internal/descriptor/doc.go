// Package descriptor describes systems under test without talking to them: what each is called, and which properties it has.
//
// Package spec reads submissions by these descriptions. The description of a target is in its own folder, beside its
// driver; package target lists them all.
package descriptor
