package sequoiadbspec

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// check reports properties that do not fit together when SequoiaDB is the target.
func check(c descriptor.Case) {
	if table := c.Value("table"); c.Sound("table") && table != "" {
		if err := CheckName(table); err != nil {
			c.Fail("table", "%s", err)
		}
	}
	if c.Value(shardingKey) == None {
		for _, key := range []string{splitKey, partsKey} {
			if c.Changed(key) {
				c.Warn(key, "has no effect without %s=%s", shardingKey, Hash)
			}
		}
	}
	if c.Sound(groupsKey) && c.Value(groupsKey) != "" && c.Value(domainKey) == "" {
		c.Fail(groupsKey, "needs %s, the name of the domain that these groups form", domainKey)
	}
	if c.Value(createKey) == string(descriptor.CreateNever) {
		for _, key := range []string{shardingKey, splitKey, partsKey, replicasKey, compressKey, domainKey} {
			if c.Changed(key) {
				c.Warn(key, "has no effect with %s=%s: it is for a collection that is created", createKey, descriptor.CreateNever)
			}
		}
	}
}

const (
	mostCoordinators = 100
	longestName      = 127
)

// checkURL accepts addresses with ports, also with spaces around them.
func checkURL(value string) (string, error) {
	if strings.TrimSpace(value) == "" {
		return "", nil
	}
	var all []string
	for address := range strings.SplitSeq(value, ",") {
		address = strings.TrimSpace(address)
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return "", fmt.Errorf("invalid coordinator %s: want HOST:PORT, such as sdb1:11810, separated by commas", property.Quote(address))
		}
		if err := checkHost(host); err != nil {
			return "", err
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("invalid port in %s: want 1 to 65535", property.Quote(address))
		}
		all = append(all, address)
	}
	if len(all) > mostCoordinators {
		return "", fmt.Errorf("has %d coordinators; the maximum is %d", len(all), mostCoordinators)
	}
	return strings.Join(all, ","), nil
}

// checkHosts accepts hosts without ports.
func checkHosts(value string) (string, error) {
	var all []string
	for host := range strings.SplitSeq(value, ",") {
		host = strings.TrimSpace(host)
		if !strings.HasPrefix(host, "[") && strings.Count(host, ":") == 1 {
			return "", fmt.Errorf("invalid host %s: the port is %s; or write %s=%s", property.Quote(host), portKey, urlKey, host)
		}
		if err := checkHost(strings.Trim(host, "[]")); err != nil {
			return "", err
		}
		all = append(all, host)
	}
	if len(all) > mostCoordinators {
		return "", fmt.Errorf("has %d hosts; the maximum is %d", len(all), mostCoordinators)
	}
	return strings.Join(all, ","), nil
}

func checkHost(host string) error {
	if host == "" || strings.ContainsAny(host, " /\\@?#") || property.Printable(host) != nil {
		return fmt.Errorf("invalid host %s: want a name or an address", property.Quote(host))
	}
	return nil
}

// CheckName checks the name of a collection, which may have its space before a dot.
func CheckName(table string) error {
	space, collection, has := strings.Cut(table, ".")
	if !has {
		return checkPart("collection", table)
	}
	if err := checkPart("collection space", space); err != nil {
		return err
	}
	return checkPart("collection", collection)
}

// checkPart checks the name of a collection or of a space by SequoiaDB's rules.
func checkPart(what, name string) error {
	switch {
	case name == "" || len(name) > longestName:
		return fmt.Errorf("invalid name %s of a %s: want 1 to %d bytes", property.Quote(name), what, longestName)
	case strings.HasPrefix(name, "$") || strings.HasPrefix(name, "SYS"):
		return fmt.Errorf("invalid name %s of a %s: names that begin with $ or SYS are the system's own", property.Quote(name), what)
	case strings.ContainsAny(name, ".\x00"):
		return fmt.Errorf("invalid name %s of a %s: it cannot contain a dot", property.Quote(name), what)
	}
	return property.Printable(name) //nolint:wrapcheck // it is a text for the user
}

func checkSpace(value string) (string, error) { return value, checkPart("collection space", value) }

func checkDomain(value string) (string, error) {
	if value == "" {
		return "", nil
	}
	return value, checkPart("domain", value)
}

// checkGroups accepts names of groups with spaces around them.
func checkGroups(value string) (string, error) {
	if strings.TrimSpace(value) == "" {
		return "", nil
	}
	var all []string
	for group := range strings.SplitSeq(value, ",") {
		group = strings.TrimSpace(group)
		if err := checkPart("group", group); err != nil {
			return "", err
		}
		all = append(all, group)
	}
	return strings.Join(all, ","), nil
}

// checkPartitions accepts powers of two.
func checkPartitions(value string) (string, error) {
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil || n < 8 || n > 1<<20 || n&(n-1) != 0 {
		return "", fmt.Errorf("invalid number of partitions %s: want a power of 2 from 8 to 1048576, such as 4096", property.Quote(value))
	}
	return strconv.FormatUint(n, 10), nil
}
