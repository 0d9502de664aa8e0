// Package cluster connects to a Cassandra cluster by Apache's Go driver, for operations, actions and telemetry alike:
//
//  1. Connect resolves the nodes that the settings name, and makes a session of the driver. Each connection is dialled by the agent's
//     outbound rules, with TLS if the settings want it.
//  2. The driver hides why a connection failed, so that its observer and the dialler keep the last reason. Explain turns it into one
//     error with its cure.
//  3. The driver does not retry, and has no speculative execution: an operation is sent once.
//  4. The driver's log goes to benchd's, each message once in ten seconds at most.
package cluster
