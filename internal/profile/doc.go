// Package profile keeps how a user connects to coordinators, in the user's configuration folder.
//
//  1. A Profile is the address of a coordinator, and copies of the certificate, key and CA of the user there.
//  2. Write stores it as one file, NAME.json, which only its user can read, and Remove deletes it.
//  3. Read and List refuse a file that other users can read, or replace.
//  4. Use makes one of them the current profile. For finds the one for an address.
package profile
