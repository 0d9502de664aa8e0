// Package enroll gives an agent its certificate, and keeps it valid.
//
//  1. A Folder keeps the identity of an agent: its key, its certificate, and the certificate of its authority. The key is written
//     first and the certificate last, each as a whole, so that a process that is killed at any moment leaves a folder with which the
//     next one goes on.
//  2. Ensure uses the certificate in the folder. If there is none, it joins: it connects to the coordinator, trusts it only if it
//     presents the root that the join token names, and sends a request for a certificate with the token. The coordinator answers the
//     same key again, so a lost answer costs nothing.
//  3. A Renewer asks for the next certificate when two thirds of the life of the current one are over. The key stays the same.
package enroll
