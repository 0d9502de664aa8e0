// Package coordinator is the middle of benchd: it takes submissions, gives runs their agents, and serves what they measure.
// It joins packages of its own: roster has the agents and their streams, conductor takes one run from its agents to its
// end; package results answers from the archive.
//
//  1. An agent's stream is a session. It introduces the agent to the roster, and from then on probes its clock.
//  2. A submission is checked whole, archived, and queued. Its lifecycle.Suite decides which run is next; when enough
//     agents are free that run gets a conductor.
//  3. The conductor owns the run's lifecycle.State: it turns what happens into events, archives the state, and
//     carries out the commands that follow.
//  4. Windows go from all sessions through one ingest into the archive, many in one commit; then they are
//     acknowledged and handed to their conductors, each once.
//  5. A result is made from the archive, for ended and for running runs alike.
//
// After a restart the archive's unended runs get their conductors back, agents return with what they hold, and
// the run's time base is anchored again by the first of them.
package coordinator
