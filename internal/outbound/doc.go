// Package outbound is the only way by which an agent connects to a system under test, to its servers and to endpoints of
// telemetry. The addresses come from submissions and from other servers, so an operator limits them.
//
//  1. New makes a Dialer of the operator's rules; without rules only private networks and loopback are allowed.
//  2. Named returns a Dialer whose errors report what has named the addresses.
//  3. Check checks an address before anything is connected, so that a run fails early with one error.
//  4. DialContext connects. It checks the address to which the system connects, after all names have been resolved: a name that
//     resolves to something else the second time gains nothing.
//  5. Client makes an HTTP client of a Dialer, which follows no redirects and uses no proxy.
package outbound
