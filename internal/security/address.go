// Package security guards connections to a network.
//
//  1. CheckAddress and CheckSecured validate an address to listen on or to connect to: nothing is sent unencrypted to or from
//     another machine unless the user allows it. CheckLocal also takes the path of a unix socket.
//  2. Protection describes how an address is protected, for people.
//  3. ListenSocket listens on a unix socket, and LocalCredentials have the operating system name its peers: only the user of the
//     process and root are accepted.
//  4. Limit bounds the connections of a listener, so that strangers do not lock out others; servers report by Admit which requests they
//     have admitted.
package security

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// AddressError reports that an address was refused or is invalid.
type AddressError struct {
	Flag    string // that gave the address
	Address string
	Problem string
}

// Error names the flag, the address and the cure.
func (e *AddressError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Flag, e.Address, e.Problem)
}

// ExitCode returns the exit code of a usage error.
func (*AddressError) ExitCode() int { return 2 }

// CheckAddress refuses an address that is not on the loopback interface, unless insecure is set, for a protocol that has no TLS. A
// name other than localhost counts as another machine, whatever it resolves to. Errors name the flag.
func CheckAddress(flag, address string, insecure bool) error {
	return check(flag, address, insecure, "this address is not loopback, and this protocol has no TLS", "")
}

// CheckSecured is CheckAddress for a protocol that has TLS if certificates are configured: then any address is accepted.
func CheckSecured(flag, address string, secured, insecure bool) error {
	return check(flag, address, secured || insecure, "this address is not loopback, and no certificates are configured for TLS",
		"set --tls-cert, --tls-key and --tls-ca, ")
}

// check refuses an address unless it is allowed or on the loopback interface.
func check(flag, address string, allowed bool, problem, cure string) error {
	if err := CheckForm(flag, address); err != nil {
		return err
	}
	if allowed || Loopback(address) {
		return nil
	}
	return &AddressError{
		Flag: flag, Address: address,
		Problem: problem + ": anyone on the network could read and change the traffic; " + cure +
			"use 127.0.0.1 (with an SSH tunnel from other machines), or accept the risk with --insecure",
	}
}

// CheckForm checks whether an address is of the form HOST:PORT.
func CheckForm(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return &AddressError{Flag: flag, Address: strconv.Quote(address), Problem: "it is not of the form HOST:PORT, such as 127.0.0.1:7070 or [::1]:7070"}
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return &AddressError{Flag: flag, Address: strconv.Quote(address), Problem: fmt.Sprintf("the port %q is not a number from 0 to 65535", port)}
	}
	return nil
}

// Loopback reports whether an address of the form HOST:PORT is reachable only from this machine. An empty host means all
// interfaces.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// unprotected ends what Protection returns for a connection that others may read and change.
const unprotected = "plain text, with --insecure"

// Protection describes how connections at an address are protected, for people: an address beyond this machine without TLS is one that
// --insecure allowed.
func Protection(address string, tls bool) string {
	_, local := Socket(address)
	switch {
	case local:
		return "unix socket, for its user and root"
	case tls:
		return "TLS"
	case Loopback(address):
		return "plain text, on this machine only"
	}
	return unprotected
}

// Unprotected reports whether a text that ends with that of Protection is about connections that others may read and change.
func Unprotected(text string) bool { return strings.HasSuffix(text, unprotected) }
