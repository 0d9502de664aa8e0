// Package roster has the agents of a coordinator and their streams.
//
//  1. A Session is an agent's stream: messages that wait to be sent, probes of its clock, and questions that wait for
//     their answers.
//  2. Roster.Join brings it in under the agent's name, in place of an earlier one of the same agent.
//  3. An Agent is what is known of it whether it is connected or not: its clock, its labels, the run that it serves.
package roster
