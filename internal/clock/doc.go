// Package clock synchronizes instants between machines whose clocks differ, and separates monotonic time from dates. Only
// Source and Mono read a clock; everything else is pure.
//
//  1. An agent's clock is a Source: the wall time at which the agent started, advanced by the monotonic clock
//     alone, so that setting the wall clock does not move it.
//  2. The coordinator probes each agent: it records its own time, the agent answers with its time, and the
//     coordinator records its time again. From many such Probes an Estimator computes the agent's offset and drift:
//     the fastest round trips give the tightest bound.
//  3. A run's time base is a Line from an agent's clock to the run's time. The coordinator sends each agent
//     its current estimate of the line; the agent's Timebase slews to it and never steps.
//
// Choosing a clock:
//
//   - Durations, pauses, deadlines and measurements use the monotonic clock: Source.Now if another process reads the
//     value, else Mono, whose Instants have no date, so that none is stored or shown by mistake. Setting the wall clock
//     neither shortens nor prolongs a wait.
//   - Dates use Source.Wall, the wall clock: when a suite was submitted, its name, the age of files. A run has one such
//     date, that of its beginning, and counts from it by Source.Now: its timeline never goes back.
//   - Deletion by age uses Settled, which trusts a wall clock that was set forward only after a day.
//
// A test in internal/lint forbids time.Now in the packages that this rule applies to.
package clock
