// Package client connects to MongoDB with MongoDB's Go driver, for operations, actions and telemetry.
//
//  1. New turns the settings of a run into options of the driver: all connections are made by an outbound.Dialer, the driver
//     retries nothing, and TLS has the certificates of the agent.
//  2. Connect finds the servers within a time limit and checks that the settings fit them: the replica set, the write concern,
//     sharding. Its errors name the address, the mistake and the cure.
//  3. CodeOf and Explain classify the errors of operations.
package client
