// Package clock lets machines whose clocks disagree do things at the same instant. It is pure: it reads no
// clock of its own but in Source.
//
//  1. An agent's clock is a Source: the wall time at which the agent started, advanced by the monotonic clock
//     alone, so that nobody who sets the wall clock moves it.
//  2. The coordinator probes each agent: it notes its own time, the agent answers with its time, the
//     coordinator notes its time again. An Estimator makes of many such Probes the agent's offset and drift:
//     the quickest round trips bound the offset best.
//  3. A run's time base is a Line from an agent's clock to the run's time. The coordinator sends each agent
//     the line that it estimates now; the agent's Timebase slews to it and never steps.
package clock
