// Package standby has one of several coordinators lead that share an archive.
//
//  1. A Candidate asks for the lease of the archive each second, until it has it (Stand). Meanwhile it knows who leads.
//  2. Serve answers clients for that time: gRPC and HTTP refer them to the leader.
//  3. A Listener passes its connections to one server after another, so that the coordinator serves the same ports when it leads.
//  4. Hold renews the lease. Its error means that the process does not lead any more: it must end, and can start again as a standby.
//
// The archive refuses the writes of a coordinator whose lease another one has taken, so that nothing depends on how soon Hold notices.
package standby
