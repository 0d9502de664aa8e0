// Package result turns the windows of agents into the results that users read:
//
//  1. a Builder gets a run's phases and shards, and each window once, in any order;
//  2. totals merge histograms per operation and outcome, over all agents and per agent: percentiles come from
//     merged histograms alone (law 1), and only where there are enough samples (law 6);
//  3. a series keeps one point for each interval; an interval's histograms are released when newer intervals
//     arrive, so that memory does not grow with the run;
//  4. a ledger records which windows are in and what agents issued and recorded, and so what is missing (law 9);
//  5. a generator's health is kept per agent, as evidence that it was not the limit (law 7);
//  6. Document puts the phases, the reconciliation, what is missing and the verdicts into a Run, which is the JSON
//     document; Live shows the same run in progress;
//  7. Settled adds to an ended run, once it has its actions, the interval of its throughput, and whether it was flat.
//
// The laws are those of ARCHITECTURE.md, there and in all other comments. A Builder does no I/O and reads no clock.
package result
