// Package sequoiadb puts SequoiaDB under load.
//
//  1. Open connects to a coordinator once, so that a wrong address or password is one error before anything is measured.
//  2. Prepare creates the domain, the collection space and the collection, or checks that the collection exists.
//  3. Each session has a connection of its own (package wire), as each thread of SequoiaDB's YCSB binding has. The sessions are
//     spread over the coordinators.
//  4. A session whose connection has broken fails the operation and connects again with the next one, to its own coordinator or
//     to the next that answers. Nothing is sent twice: an operation without an answer may have been done.
//
// Documents have the form of SequoiaDB's YCSB binding: the key is the string _id, and the fields are binary.
package sequoiadb
