// Package certs has what a process presents to its peers, and whom it accepts, over TLS 1.3.
//
//  1. Load reads a certificate, its key, the CA and the list of revoked certificates. Errors name the file and the cure.
//  2. ServerConfig and ClientConfig answer and open connections with the current files. A server accepts peers without a
//     certificate, whose role is anonymous; a client requires a role and a host name of its server.
//  3. Watch and Reload read the files again: a new certificate counts from the next handshake, a revoked one is refused there and
//     reported to OnRevoked. Broken files leave the former ones in use, and show in the log and in metrics.
//  4. Inspect reports the state of the files, for a diagnosis.
//  5. PeerIdentity returns who the peer of a connection is.
package certs
