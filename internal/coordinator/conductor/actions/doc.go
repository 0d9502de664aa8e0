// Package actions executes the actions of a run on its target: those that the lifecycle waits for between two phases, those
// that the run's settings time during the measurement, and the clearing of faults.
//
//  1. An action is assigned to an agent and archived as the run's pending action before it is ordered.
//  2. Its answer ends it. If the agent is lost, no other agent repeats the action: it may have been done.
//  3. At the run's end the pending action is abandoned, and the faults that the run has added are cleared.
package actions
