// Package conductor executes one run, from the moment it has agents to its end.
//
//  1. New returns the Conductor of a run that is about to get its agents, Recover that of a run that was in progress when
//     the coordinator stopped. Perform works until the run is sealed or the coordinator detaches.
//  2. All state belongs to one loop. The exported methods post into it, or read what the loop has published: the time of
//     the run (timebase), and the view of watchers and sessions (Progress).
//  3. What happens becomes a lifecycle.Event; the new state is archived; then the commands are carried out.
//  4. The loop also drives the parts of a run that have a state of their own: the agents of its shards, the timeline, the
//     change-over of a warm-up, the handover of a load, the telemetry, actions (package actions), and the watermark of
//     inserts.
package conductor
