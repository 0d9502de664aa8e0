// Package archives has tests of archives in SQLite and in PostgreSQL as users have them: programs in processes of their own.
//
//   - An archive moves from SQLite to PostgreSQL and back, and its results stay the same.
//   - An archive with many suites: what list, show and compare cost on it, and whether the removal of the oldest month disturbs a run. The suites
//     are copies of one, made by SQL, with other ids and dates. The commands are measured by the CPU time of all processes that take part.
//
// make bench-suites measures 1000 suites of 50 GB; make test-integration a few small ones.
package archives
