// Package kerberos is the client's side of Kerberos, for targets that need it.
//
//  1. New makes a Client of a keytab or a credential cache, and of the realm's servers. A Client gets tickets when they are needed, and
//     new ones before they expire: from the keytab, which it reads again for each login, or from the cache, when kinit has written it; a renewable ticket of a
//     cache is renewed. While no KDC answers, the tickets that are known serve until they end.
//  2. Initiate begins a security context with a service: its token and the service's answer (Context.Accept) prove both sides.
//  3. A Context signs and seals messages (RFC 4121). It keeps the derived keys, and allocates nothing for a message.
//  4. Transport adds tickets to HTTP requests (SPNEGO).
//
// Tickets and the requests to the realm's servers are those of gokrb5. It can neither seal nor verify the answer of a service, and it
// derives keys for each message. It takes no context, its clients are not safe for several goroutines while they log in, and it never
// returns to a ticket that could not be renewed in time: so one goroutine at a time uses it, and a Client decides when tickets are due.
//
// Errors are of type *Error. Each names the problem and the cure.
package kerberos
