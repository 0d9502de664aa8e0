// Package roster keeps the agents of a coordinator and their streams.
//
//  1. A Session is an agent's stream: outgoing messages, probes of its clock, and requests that wait for their answers.
//  2. Roster.Join adds it under the agent's name, in place of an earlier stream of the same agent.
//  3. An Agent is the state of an agent, connected or not: its clock, its labels, the run that it serves.
package roster
