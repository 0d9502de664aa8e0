// Package hbase tests benchd against HBase as users run it: coordinator, agents and servers, each in its own process.
// Its tests are behind the tag `hbase`: make test-hbase.
//
//  1. A server is a real HBase with three region servers, or benchd's sandbox. A scenario runs as a subtest on each
//     server for which it is useful: go test -tags hbase ./test/hbase -run 'TestLoad/sandbox'.
//  2. A server starts when a test first needs it, also serves later tests, and ends with the last of them. With make
//     test-hbase the server with three region servers also serves other packages. The test that kills one of its region
//     servers starts it again.
//  3. HBase's official client (test/java) checks the contents of tables, never benchd alone.
package hbase
