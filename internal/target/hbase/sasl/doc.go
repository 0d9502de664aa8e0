// Package sasl authenticates connections to HBase's servers by Kerberos, and seals what they carry.
//
//  1. Begin makes the handshake on a new connection. Its end is the protection on which both sides agree: authentication only, integrity or
//     privacy.
//  2. With integrity or privacy all that follows is cut into sealed messages, each with its length before it. A Conn is the connection of
//     the bytes inside. Their cuts mean nothing.
//  3. With the AES option a Conn changes its keys after the connection header (rpc.Ciphered).
package sasl
