package outbound

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Private is the rule for private networks and loopback, which is the default.
const Private = "private"

// Rule is an allowed target: a network, a host, or a port of a host.
type Rule struct {
	text    string
	network netip.Prefix // of a network or an address
	name    string       // of a host, in lower case, if there is no network
	port    uint16       // 0 for all ports
}

// String returns the rule as it was given.
func (r Rule) String() string { return r.text }

// ParseRule reads a rule: CIDR, HOST or HOST:PORT. A host is a name or an address.
func ParseRule(text string) (Rule, error) {
	r := Rule{text: text}
	bad := func(problem string) (Rule, error) {
		return Rule{}, fmt.Errorf("invalid target %q: %s; want a network such as 10.0.0.0/8, a host, HOST:PORT, or %s", text, problem, Private)
	}
	if strings.Contains(text, "/") {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return bad("not a network")
		}
		if network.Addr().Is4In6() {
			return bad("write the network of IPv4 without ::ffff:")
		}
		r.network = network.Masked()
		return r, nil
	}
	host := text
	if _, err := netip.ParseAddr(text); err != nil { // an address of IPv6 has colons but no port
		if before, port, err := net.SplitHostPort(text); err == nil {
			n, err := strconv.ParseUint(port, 10, 16)
			if err != nil || n == 0 {
				return bad(fmt.Sprintf("the port %q is not a number from 1 to 65535", port))
			}
			host, r.port = before, uint16(n)
		}
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok {
			host = inner
		}
	}
	if address, err := netip.ParseAddr(host); err == nil {
		address = plain(address)
		r.network = netip.PrefixFrom(address, address.BitLen())
		return r, nil
	}
	if canonical(host) == "" || strings.ContainsAny(host, " ,:[]") {
		return bad("not a host")
	}
	r.name = canonical(host)
	return r, nil
}

// parseRules reads rules; none means the default.
func parseRules(texts []string) ([]Rule, error) {
	var rules []Rule
	var problems []error
	for _, text := range texts {
		if text == Private {
			rules = append(rules, private()...)
			continue
		}
		rule, err := ParseRule(text)
		rules, problems = append(rules, rule), append(problems, err)
	}
	return rules, errors.Join(problems...)
}

// private returns the default: RFC 1918, the shared space of RFC 6598, the unique local addresses of IPv6, and loopback.
func private() []Rule {
	var rules []Rule
	for _, network := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "127.0.0.0/8", "::1/128"} {
		rules = append(rules, Rule{text: Private, network: netip.MustParsePrefix(network)})
	}
	return rules
}

// sensitive returns networks whose addresses are never those of a database: link-local ones, the addresses at which clouds serve
// credentials to their machines, and addresses that mean any or many machines. Only a rule within such a network allows them.
func sensitive() []netip.Prefix {
	var all []netip.Prefix
	for _, network := range []string{
		"169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128", "100.100.100.200/32", "0.0.0.0/8", "::/128", "224.0.0.0/4", "240.0.0.0/4", "ff00::/8",
	} {
		all = append(all, netip.MustParsePrefix(network))
	}
	return all
}

// allows reports whether rules allow a port of an address, which is that of a host with the given name, if it has one.
func allows(rules []Rule, name string, to netip.AddrPort) bool {
	address := plain(to.Addr())
	within := slices.IndexFunc(sensitive(), func(n netip.Prefix) bool { return n.Contains(address) })
	for _, r := range rules {
		switch {
		case r.port != 0 && r.port != to.Port():
		case r.name != "":
			if r.name == name && within < 0 {
				return true
			}
		case !r.network.Contains(address):
		case within < 0 || sensitive()[within].Bits() <= r.network.Bits():
			return true
		}
	}
	return false
}

// plain returns an address without its zone, and one of IPv4 in its own form.
func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }

// canonical returns a host's name in the form in which names are compared.
func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
