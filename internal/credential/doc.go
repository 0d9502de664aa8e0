// Package credential holds what the operator of an agent gives it to prove itself to targets: keys of Kerberos, and certificates of
// TLS. They belong to the agent's machine, and no run can name, read or replace them.
//
//  1. A Config has the names of files, from flags or from a target's own configuration, which Over joins.
//  2. New checks a Config and reads its files once, so that mistakes are reported at the start. Keys that every user of the machine can
//     read are refused.
//  3. Targets, actors and telemetry get the *Credential. It reads the files again for each of them, so renewed ones count from the
//     next run. A nil Credential has nothing. Every way to print, log or encode it gives "(credential)".
//  4. Shield keeps keys out of core dumps.
package credential
