// Package coordinator is the center of benchd: it accepts submissions, assigns agents to runs, and serves the results. It
// combines four packages: roster keeps the agents and their streams, conductor executes one run, timetable keeps the schedules, and
// results answers queries from the archive.
//
//  1. An agent's stream is a session. It adds the agent to the roster, and then probes its clock.
//  2. A submission is validated as a whole, archived, and queued. Its lifecycle.Suite decides which run is next; when
//     enough agents are free, that run gets a conductor.
//  3. The conductor owns the run's lifecycle.State: it turns what happens into events, archives the state, and
//     carries out the commands that follow.
//  4. The windows of all sessions go through one ingest into the archive, many in one commit; then they are
//     acknowledged and passed to their conductors, each once.
//  5. A result is computed from the archive, for ended and for running runs alike.
//  6. Suites that recur are in the timetable, which submits them when they are due and evaluates their trend.
//
// After a restart the unfinished runs of the archive get new conductors, agents reconnect with the shards that they hold,
// and the first of them restores the run's time base.
package coordinator
