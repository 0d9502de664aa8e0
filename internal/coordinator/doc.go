// Package coordinator is the middle of benchd: it keeps the roster of agents, gives them runs, starts them at
// one instant, and makes one result of what they measure.
//
//  1. An agent's stream is a session. It introduces the agent to the roster, and from then on probes its clock.
//  2. A submission is judged whole, archived, and queued; when enough agents are free the run gets a
//     conductor.
//  3. The conductor owns the run's lifecycle.State: it turns what happens into events, archives the state, and
//     carries out the commands that follow.
//  4. Windows go from all sessions through one ingest into the archive, many in one commit; then they are
//     acknowledged and told to their conductors, each once.
//  5. A result is made from the archive, for ended and for running runs alike.
//
// After a restart the archive's unended runs get their conductors back, agents return with what they hold, and
// the run's time base is anchored anew by the first of them.
package coordinator
