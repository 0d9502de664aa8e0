// Package search finds the highest throughput of a system that keeps an objective. It is pure.
//
//  1. ParseObjective reads what must be kept, such as "p99(READ) < 10ms and errors < 0.1%".
//  2. A Space is the question: what varies, between which values, and how exact the answer must be.
//  3. The caller makes one run after another, each at the value of Step.Next, and turns each into a Probe.
//  4. Space.Decide returns the next Step from all probes so far, in the order of their runs. It has no other state, so
//     that a search continues after any interruption, and the same probes always lead to the same answer.
//  5. The last Step is Done, and has the Answer.
//
// The search scans values that double until two in a row have missed the objective, and then halves the bracket between
// the highest kept and the lowest missed value. It does not assume that the system is monotone, or that equal runs have
// equal outcomes: it looks beyond the first missed value, repeats a value that contradicts others and the missed value
// at the edge, and confirms the answer by runs of its own. Where threads vary, the throughput need not grow with them:
// the answer is the kept value with the highest throughput, and the search narrows down both of its sides.
//
// A probe that says nothing about the system (a failed run, a generator at its limit, too few samples) is never a
// limit of the system: the answer is then a lower bound, and names the reason.
package search
