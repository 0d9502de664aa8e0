package cassandraspec

import (
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// check reports properties that do not fit together when Cassandra is the target.
func check(c descriptor.Case) {
	if table := c.Value("table"); c.Sound("table") && table != "" {
		if _, err := parseName("table", table); err != nil {
			c.Fail("table", "%s", err)
		}
	}
	for user, password := range map[string]string{usernameKey: PasswordKey, jolokiaUserKey: JolokiaPasswordKey} {
		switch {
		case c.Value(user) != "" && c.Value(password) == "":
			c.Fail(user, "missing password; set %s to a reference such as file:password", password)
		case c.Value(user) == "" && c.Value(password) != "":
			c.Fail(password, "missing user name; set %s", user)
		}
	}
	if c.Changed(verifyKey) && c.Value(tlsKey) == "false" {
		c.Warn(verifyKey, "has no effect without %s=true", tlsKey)
	}
	for _, name := range []string{jolokiaPathKey, jolokiaTLSKey, jolokiaUserKey} {
		if c.Changed(name) && c.Value(jolokiaPortKey) == "0" {
			c.Warn(name, "has no effect without %s", jolokiaPortKey)
		}
	}
	if c.Value(tracingKey) == "true" {
		c.Warn(tracingKey, "every operation is traced: the figures are those of a cluster that traces")
	}
}

// parseName returns a name as Cassandra has it. CQL without quotes, as YCSB's binding writes it, has small letters.
func parseName(what, name string) (string, error) {
	const most = 48
	if !regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]*$`).MatchString(name) {
		return "", fmt.Errorf("invalid %s name %s: want letters, digits and _, with a letter at its start", what, property.Quote(name))
	}
	if len(name) > most {
		return "", fmt.Errorf("invalid %s name %s: it has %d characters; Cassandra takes %d", what, property.Quote(name), len(name), most)
	}
	return strings.ToLower(name), nil
}

func checkName(what string) func(string) (string, error) {
	return func(value string) (string, error) { return parseName(what, strings.TrimSpace(value)) }
}

// checkHosts accepts host[:port] of nodes with spaces around them.
func checkHosts(value string) (string, error) {
	var nodes []string
	for node := range strings.SplitSeq(value, ",") {
		node = strings.TrimSpace(node)
		host, port := node, "1"
		switch inner, isBracketed := strings.CutPrefix(node, "["); {
		case isBracketed && strings.HasSuffix(inner, "]"):
			host = strings.TrimSuffix(inner, "]")
		case strings.Contains(node, ":"):
			var err error
			if host, port, err = net.SplitHostPort(node); err != nil {
				return "", fmt.Errorf("invalid node %s: want host or host:port, with brackets around an IPv6 address", property.Quote(node))
			}
		}
		if host == "" || strings.ContainsAny(host, " /\\@?#") || property.Printable(host) != nil {
			return "", fmt.Errorf("invalid node %s: want host or host:port, separated by commas", property.Quote(node))
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("invalid port in %s: want 1 to 65535", property.Quote(node))
		}
		nodes = append(nodes, node)
	}
	return strings.Join(nodes, ","), nil
}

// Copies are the copies of each row: Everywhere, or in each datacenter.
type Copies struct {
	Everywhere int
	Datacenter map[string]int
}

const mostCopies = 100

func parseReplication(value string) (Copies, error) {
	count := func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > mostCopies {
			return 0, fmt.Errorf("invalid number of copies %s: want 1 to %d", property.Quote(text), mostCopies)
		}
		return n, nil
	}
	if !strings.Contains(value, ":") {
		n, err := count(value)
		return Copies{Everywhere: n}, err
	}
	copies := Copies{Datacenter: make(map[string]int)}
	for item := range strings.SplitSeq(value, ",") {
		name, text, ok := strings.Cut(strings.TrimSpace(item), ":")
		if !ok || !regexp.MustCompile(`^[A-Za-z0-9_.-]+$`).MatchString(name) {
			return Copies{}, fmt.Errorf("invalid replication %s: want a number, or DATACENTER:NUMBER separated by commas, such as dc1:3,dc2:2", property.Quote(value))
		}
		if _, twice := copies.Datacenter[name]; twice {
			return Copies{}, fmt.Errorf("invalid replication %s: it has datacenter %s twice", property.Quote(value), name)
		}
		n, err := count(text)
		if err != nil {
			return Copies{}, err
		}
		copies.Datacenter[name] = n
	}
	return copies, nil
}

// CQL returns the replication of a keyspace as CREATE KEYSPACE has it.
func (c Copies) CQL() string {
	if c.Datacenter == nil {
		return fmt.Sprintf("{'class': 'SimpleStrategy', 'replication_factor': %d}", c.Everywhere)
	}
	var b strings.Builder
	b.WriteString("{'class': 'NetworkTopologyStrategy'")
	for _, name := range c.Datacenters() {
		fmt.Fprintf(&b, ", '%s': %d", name, c.Datacenter[name])
	}
	b.WriteString("}")
	return b.String()
}

// Datacenters lists the names of the datacenters in order.
func (c Copies) Datacenters() []string {
	var names []string
	for name := range c.Datacenter {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func checkReplication(value string) (string, error) {
	value = strings.ReplaceAll(strings.TrimSpace(value), " ", "")
	_, err := parseReplication(value)
	return value, err
}

func checkSpeculativeRetry(value string) (string, error) {
	value = strings.TrimSpace(value)
	if !regexp.MustCompile(`^[A-Za-z0-9.(), ]{0,60}$`).MatchString(value) {
		return "", fmt.Errorf("invalid speculative retry %s: want NONE, ALWAYS, a percentile such as 99p or a time such as 50ms", property.Quote(value))
	}
	return value, nil
}

func checkPath(value string) (string, error) {
	value = "/" + strings.Trim(strings.TrimSpace(value), "/")
	if strings.ContainsAny(value, "?#@ ") {
		return "", errors.New("invalid path: want a path such as /jolokia, without a query")
	}
	return value, property.Printable(value)
}
