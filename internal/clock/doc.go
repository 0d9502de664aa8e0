// Package clock lets machines whose clocks disagree do things at the same instant, and parts the two ways in which a
// program reads time. It is pure: it reads no clock of its own but in Source and Mono.
//
//  1. An agent's clock is a Source: the wall time at which the agent started, advanced by the monotonic clock
//     alone, so that nobody who sets the wall clock moves it.
//  2. The coordinator probes each agent: it notes its own time, the agent answers with its time, the
//     coordinator notes its time again. An Estimator makes of many such Probes the agent's offset and drift:
//     the quickest round trips bound the offset best.
//  3. A run's time base is a Line from an agent's clock to the run's time. The coordinator sends each agent
//     the line that it estimates now; the agent's Timebase slews to it and never steps.
//
// Which clock is right for what:
//
//   - Durations, pauses, deadlines and anything that is measured follow the monotonic clock: Source.Now where another
//     process must understand it, else Mono, whose Instants have no date, so that none is stored or shown by mistake.
//     A wall clock that is set ends no wait early and keeps none forever.
//   - Dates follow Source.Wall, the wall clock as it is set: when a suite was submitted, its name, the age of files.
//     What belongs to one run has one such date, that of its beginning, and counts on from it by Source.Now: its
//     timeline never goes back.
//   - What deletes by age asks Settled, which takes a wall clock that was set forward for right only after a day.
//
// A test in internal/lint refuses time.Now in the packages that this rule binds.
package clock
