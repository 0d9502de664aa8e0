// Package mongodb is MongoDB as a target, with MongoDB's Go driver. Documents are those of YCSB's binding: the key is _id, and the
// fields are binary.
//
//  1. Open connects by package client, which checks that the servers fit the settings.
//  2. Prepare creates the collection, sharded and split, by package setup.
//  3. A session encodes each operation as a command in BSON (package bsonraw), sends it by the driver's RunCommand, which retries
//     nothing, and reads the answer where it is.
package mongodb
