// Package capacity answers how much a system can take, from the runs of a suite. It is pure.
//
//  1. Probe makes a probe of an ended run: it compares the figures of the measured phase with the objective of a search.
//  2. Decide passes the probes of a case to package search, which returns the next value or the answer.
//  3. Of makes the document of a search: the answer as a sentence, its interval, and the probes.
//  4. Sweeps makes that of ordinary cases which differ in their threads or their rate: the points, the Universal
//     Scalability Law fitted to them, and the plateau.
package capacity
