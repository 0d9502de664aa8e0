// Package websession has the sessions of browsers with the web console.
//
//  1. A user of benchctl, whose identity the coordinator has verified, gets a code (Invite). It is valid for a short time and once, and is part
//     of a link.
//  2. The link opens a page that names the user and the host. Nothing has happened yet: a program that follows links uses no code up, and a
//     page of another site logs nobody in. Its button redeems the code (Redeem): the browser gets the token of a session as a cookie.
//  3. EnterRequest finds the session of a request. While a request or a stream of events lasts, the session is in use.
//  4. A session ends after a time without use, after some days, with the certificate of its user, by a logout (End), or when the certificate is
//     revoked (Revoke). Its streams end with it.
//  5. Handler serves the pages of login and logout, and all other pages to peers that are known.
//
// A Store has only hashes of codes and tokens. The sessions are also in a file (Keep), so that they continue after a restart; codes are not.
package websession
