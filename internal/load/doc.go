// Package load puts a target under load: it executes one agent's shard of a run and reports its measurements.
//
//  1. A Runner is created for a shard. Prepare opens a session for each worker and builds the generators of operations.
//  2. Start begins a segment, which is a phase with the phases that join it, at an instant of the run's time:
//     the workers wait for that instant by the agent's own clock, and pass a Gate that the runners of a process share.
//  3. A worker draws its next operation, waits until it is intended (open loop), executes it, and records
//     when it was intended, sent and done. Workers share nothing that they would have to wait for.
//  4. One goroutine of the segment cuts windows at multiples of the interval, changes the phase, ends the
//     workers at the planned end or on request, joins them, and cuts the last window.
//  5. The results of a segment go to the functions of Config: its first operation, each window, each phase's end.
//
// In the closed loop an operation is intended when it is sent. In the open loop it is intended by the schedule,
// whatever the target does: when all workers are busy it waits, and its response time includes the wait.
package load
