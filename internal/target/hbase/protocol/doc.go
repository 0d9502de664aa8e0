// Package protocol encodes and decodes the payload of HBase's RPCs, for clients and servers:
//
//  1. A Cell is a value or a delete marker. AppendCell and NextCell write and read the cells of a block.
//  2. A Tally reads the results in answers to Get, Mutate, Scan and Multi, whose cells are in the message or in a block after
//     it, and counts their rows and bytes.
//  3. An Exception is what a server throws instead of an answer. It can be read and written.
//  4. Exception.Condition and MayPass classify it: has the region moved, is the server busy, can a retry help?
//
// The package does no I/O; package rpc, which imports it, does. Reading cells and results does not allocate.
package protocol
