//go:build faults

package faults

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// networks counts the networks of this process, so that their names and addresses differ.
var networks atomic.Int32

// network is a switch with hosts, each in its own network namespace. The test itself has an address on it, too.
type network struct {
	t     *testing.T
	id    string // the prefix of all its names
	nth   int
	hosts int
}

// host is a machine on a network.
type host struct {
	net  *network
	name string
	ip   string
}

// ip runs a command of iproute2.
func (n *network) ip(args ...string) {
	n.t.Helper()
	_, stderr, code := testcluster.Command(n.t, testcluster.Patience, "ip", args...)
	require.Zero(n.t, code, "ip %s: %s(the tests of faults need root and iproute2)", strings.Join(args, " "), stderr)
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	nth := int(networks.Add(1))
	n := &network{t: t, nth: nth, id: fmt.Sprintf("bf%d.%d", os.Getpid()%100_000, nth)}
	n.namespace("switch")
	n.in("switch", "link", "add", "br0", "type", "bridge")
	n.in("switch", "link", "set", "br0", "up")

	n.ip("link", "add", n.id, "type", "veth", "peer", "name", "test", "netns", n.ns("switch"))
	t.Cleanup(func() { cleanUp(t, "ip", "link", "del", n.id) })
	n.in("switch", "link", "set", "dev", "test", "master", "br0", "up")
	n.ip("addr", "add", n.address(254)+"/24", "dev", n.id)
	n.ip("link", "set", n.id, "up")
	return n
}

func (n *network) ns(name string) string { return n.id + "." + name }

func (n *network) address(host int) string {
	return fmt.Sprintf("10.%d.%d.%d", 64+os.Getpid()%64, n.nth, host)
}

// namespace makes a network namespace for the time of the test.
func (n *network) namespace(name string) {
	n.t.Helper()
	n.ip("netns", "add", n.ns(name))
	n.t.Cleanup(func() { cleanUp(n.t, "ip", "netns", "del", n.ns(name)) })
	n.in(name, "link", "set", "lo", "up")
}

// in runs a command of iproute2 in a namespace.
func (n *network) in(name string, args ...string) {
	n.t.Helper()
	n.ip(append([]string{"-n", n.ns(name)}, args...)...)
}

// host adds a machine to the network.
func (n *network) host(name string) *host {
	n.t.Helper()
	n.hosts++
	h := &host{net: n, name: name, ip: n.address(n.hosts)}
	n.namespace(name)
	n.ip("link", "add", "eth0", "netns", n.ns(name), "type", "veth", "peer", "name", name, "netns", n.ns("switch"))
	n.in("switch", "link", "set", "dev", name, "master", "br0", "up")
	n.in(name, "addr", "add", h.ip+"/24", "dev", "eth0")
	n.in(name, "link", "set", "eth0", "up")
	return h
}

// test is the address of the test itself.
func (n *network) test() string { return n.address(254) }

// cut sets a host's link down; restore sets it up again.
func (h *host) cut()     { h.net.in("switch", "link", "set", "dev", h.name, "down") }
func (h *host) restore() { h.net.in("switch", "link", "set", "dev", h.name, "master", "br0", "up") }

// swallow makes the switch drop all packets from and to a host, without an error. restore ends it.
func (h *host) swallow() { h.net.in("switch", "link", "set", "dev", h.name, "nomaster") }

// start starts a program on the host.
func (h *host) start(name string, args ...string) *testcluster.Process {
	h.net.t.Helper()
	return testcluster.StartUnder(h.net.t, []string{"ip", "netns", "exec", h.net.ns(h.name)}, name, args...)
}
