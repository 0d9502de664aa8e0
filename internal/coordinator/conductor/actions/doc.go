// Package actions does what a run asks of its target beside operations: the actions that the lifecycle waits for
// between two phases, those that the run's settings name for an instant of the measurement, and the clearing of faults.
//
//  1. An action is assigned to an agent and archived as the run's pending action before it is ordered.
//  2. Its answer ends it. One whose agent is lost is not given to another: it may have been done.
//  3. At the run's end the pending action is given up, and the faults that the run has added are cleared.
package actions
