// Package hbase tests benchd against HBase as its users have it: coordinator, agents and servers, each in a process of
// its own. Its tests are behind the tag `hbase`: make test-hbase.
//
//  1. A server is a real HBase of three region servers, or benchd's sandbox. A scenario takes any of them, and runs as
//     a subtest on each that it makes sense for: go test -tags hbase ./test/hbase -run 'TestLoad/sandbox'.
//  2. A server starts when a test first needs it, serves the tests after it, too, and ends with the last of them; with
//     make test-hbase the one of three region servers serves other packages besides. The test that kills one of its
//     region servers starts it again.
//  3. What is in a table is judged by HBase's official client (test/java), never by benchd alone.
package hbase
