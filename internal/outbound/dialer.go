package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dialWithin bounds a connection attempt whose context has no earlier deadline.
const dialWithin = 30 * time.Second

// Dialer connects to allowed targets only. A nil Dialer has the default rules. Its methods may be called from several goroutines.
type Dialer struct {
	rules    []Rule
	all      bool
	by       string // what has named the addresses; empty if unknown
	resolver resolver
}

type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// New makes a Dialer. Rules are networks, hosts and ports of hosts, as ParseRule reads them, or Private. Without a rule Private is
// allowed; given rules replace it.
func New(allow []string) (*Dialer, error) {
	rules, err := parseRules(allow)
	if err != nil {
		return nil, err
	}
	if len(allow) == 0 {
		rules = private()
	}
	return &Dialer{rules: rules}, nil
}

// Any makes a Dialer without rules, for addresses that the user of this process has given.
func Any() *Dialer { return &Dialer{all: true} }

// Named returns a Dialer whose errors report what has named the addresses, such as a property.
func (d *Dialer) Named(by string) *Dialer {
	named := *d.orDefault()
	named.by = by
	return &named
}

func (d *Dialer) orDefault() *Dialer {
	if d == nil {
		return &Dialer{rules: private()}
	}
	return d
}

// RefusedError reports an address to which the operator of an agent allows no connection.
type RefusedError struct {
	Address string         // HOST:PORT as it was named
	IP      netip.AddrPort // to which the host resolves; invalid if Address is invalid
	By      string         // what has named it; empty if unknown
}

// Error names the address, what has named it, and the cure.
func (e *RefusedError) Error() string {
	var b strings.Builder
	b.WriteString("refuse to connect to " + clean(e.Address))
	if e.IP.IsValid() && e.IP.String() != e.Address {
		b.WriteString(" (" + e.IP.String() + ")")
	}
	if e.By != "" {
		b.WriteString(", which " + e.By + " names")
	}
	b.WriteString(": it is not a target that this agent may reach; if it should, start the agent with --allow-target for each of its targets")
	if e.IP.IsValid() {
		b.WriteString(", one of them " + e.IP.Addr().String())
	}
	return b.String()
}

// clean makes an address of any origin printable and short.
func clean(address string) string {
	const most = 200
	if len(address) > most {
		address = address[:most] + "…"
	}
	if quoted := strconv.Quote(address); quoted != `"`+address+`"` {
		return quoted
	}
	return address
}

// Check reports whether connections to an address, HOST:PORT, will be refused, as a *RefusedError. A name that cannot be resolved
// is not refused: connecting reports that error.
func (d *Dialer) Check(ctx context.Context, address string) error {
	d = d.orDefault()
	host, port, err := d.split(address)
	if err != nil || d.all {
		return err
	}
	ips, err := d.lookup(ctx, host)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	for _, ip := range ips {
		if allows(d.rules, canonical(host), netip.AddrPortFrom(ip, port)) {
			return nil
		}
	}
	if len(ips) == 0 {
		return nil
	}
	return d.refuse(address, netip.AddrPortFrom(plain(ips[0]), port))
}

// Resolve returns an address, HOST:PORT, with the first of the host's addresses that is allowed, for libraries that dial by
// themselves. Without rules it returns the address as it is.
func (d *Dialer) Resolve(ctx context.Context, address string) (string, error) {
	d = d.orDefault()
	host, port, err := d.split(address)
	if err != nil || d.all {
		return address, err
	}
	ips, err := d.lookup(ctx, host)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", clean(address), err)
	}
	for _, ip := range ips {
		if to := netip.AddrPortFrom(plain(ip), port); allows(d.rules, canonical(host), to) {
			return to.String(), nil
		}
	}
	if len(ips) == 0 {
		return "", fmt.Errorf("resolve %s: no address", clean(address))
	}
	return "", d.refuse(address, netip.AddrPortFrom(plain(ips[0]), port))
}

func (d *Dialer) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	if d.resolver != nil {
		return d.resolver.LookupNetIP(ctx, "ip", host)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// DialContext connects to HOST:PORT over TCP. The error of an address that is not allowed is a *RefusedError.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d = d.orDefault()
	host, _, err := d.split(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: dialWithin}
	if !d.all {
		if !strings.HasPrefix(network, "tcp") {
			return nil, fmt.Errorf("connect to %s: network %q is not TCP", clean(address), network)
		}
		// It is called with the address of each attempt, of which there are several for a host with several addresses.
		dialer.Control = func(_, to string, _ syscall.RawConn) error {
			ip, err := netip.ParseAddrPort(to)
			if err != nil {
				return fmt.Errorf("connect to %s: %w", clean(address), err)
			}
			if allows(d.rules, canonical(host), ip) {
				return nil
			}
			return d.refuse(address, netip.AddrPortFrom(plain(ip.Addr()), ip.Port()))
		}
	}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		if refused := asRefused(err); refused != nil {
			return nil, refused // without the words of package net around it
		}
		return nil, err //nolint:wrapcheck // it names the address
	}
	return conn, nil
}

func (d *Dialer) refuse(address string, ip netip.AddrPort) *RefusedError {
	return &RefusedError{Address: address, IP: ip, By: d.by}
}

func (*Dialer) split(address string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("invalid address %s: want HOST:PORT", clean(address))
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || host == "" {
		return "", 0, fmt.Errorf("invalid address %s: want HOST:PORT, with a port from 1 to 65535", clean(address))
	}
	return host, uint16(n), nil
}
