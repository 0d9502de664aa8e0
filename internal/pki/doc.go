// Package pki is the certificate authority of an installation of benchd: files and values, without a network.
//
//  1. Init makes an authority in a directory: a root (ca.crt, ca.key), and the agents' authority below it (agents.crt, agents.key), which
//     X.509 itself limits to certificates of agents.
//  2. Open reads it. Issue signs a certificate with an identity (package identity) by the root's key, and records it in issued.jsonl
//     before it returns it. List has all records, and Revoke adds certificates to the deny list, the file revoked.
//  3. OpenEnroller reads the agents' authority alone, which is all that a coordinator has. Token makes a join token for one agent; Enroll
//     issues that agent's certificate for it, once; Renew issues the next certificate for the same name.
//  4. A Ledger keeps the tokens that were used, synced before the answer, so that a crash between neither loses nor doubles a use.
//  5. The agent's side is ParseToken and Request; Root finds the root that the token names among the certificates of a coordinator.
package pki
