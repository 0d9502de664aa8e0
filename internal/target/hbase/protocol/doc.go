// Package protocol encodes and decodes what HBase's RPCs carry, for clients and servers:
//
//  1. A Cell is a value or a delete marker. AppendCell writes it and NextCell reads it, as blocks of cells hold it.
//  2. A Tally reads the results in answers to Get, Mutate, Scan and Multi, whose cells are inside the message or in a block
//     behind it, and counts their rows and bytes.
//  3. An Exception is what a server throws in place of an answer. It is read from an answer, and written into one.
//  4. Exception.Condition and MayPass classify it: is the region elsewhere, is the server busy, can a retry help?
//
// The package is pure: it does no I/O, and package rpc, which does, is above it. Reading cells and results allocates nothing.
package protocol
