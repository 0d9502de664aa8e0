// Package conductor takes one run from the moment it has agents to its end.
//
//  1. New makes the Conductor of a run that is about to get its agents, Recover that of one that was under way when the
//     coordinator stopped. Perform works until the run is sealed or the coordinator detaches.
//  2. All state belongs to one loop. The exported methods post into it, or read what the loop has published: the time of
//     the run (timebase), and what watchers and sessions may see (Progress).
//  3. What happens becomes a lifecycle.Event; the state that follows is archived; then the commands are carried out.
//  4. Around that the loop looks after the parts of a run that have a state of their own: the agents of its shards, the
//     timeline, the change-over of a warm-up, the handover of a load, the telemetry, actions (package actions), what may be
//     read of the inserts of all.
package conductor
