package hbasespec

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// check reports properties that do not fit together when HBase is the target.
func check(c descriptor.Case) {
	family := c.Value("columnfamily")
	if c.Sound("columnfamily") && family == "" {
		c.Fail("columnfamily", "missing, and target hbase needs it; write columnfamily=family, or the family that the table has")
	}
	if strings.Contains(family, ":") {
		c.Fail("columnfamily", "%s contains a colon; write only the family: its columns are the names of the fields", property.Quote(family))
	}
	if n := len(family); n > longestFamily {
		c.Fail("columnfamily", "is %d bytes long; a family in HBase has at most %d", n, longestFamily)
	}
	if table := c.Value("table"); c.Sound("table") && table != "" {
		if _, _, err := parseTable(table); err != nil {
			c.Fail("table", "%s", err)
		}
	}
	if c.Changed("hbase.batch.delay") && c.Value("hbase.batch.size") == "1" {
		c.Warn("hbase.batch.delay", "has no effect without hbase.batch.size above 1")
	}
	if c.Changed("writebuffersize") && c.Value("clientbuffering") == "false" {
		c.Warn("writebuffersize", "has no effect without clientbuffering=true")
	}
	if c.Changed("hbase.splits.formula") && c.Value("hbase.splits") == "0" {
		c.Warn("hbase.splits.formula", "has no effect without hbase.splits=N")
	}
	if c.Changed("hbase.splits.formula") && c.Value("hbase.splits") != "0" && c.Value("key.template") != "" {
		c.Fail("hbase.splits.formula", "its points begin with keyprefix, but key.template makes other keys; remove it: quantiles divide the rows of the template evenly")
	}
	checkRegistry(c)
	checkSecurity(c)
	if names := c.Value(ignoredKey); names != "" && c.Sound(ignoredKey) {
		c.Warn(ignoredKey, "these settings of HBase's own client have no effect: %s", strings.ReplaceAll(names, ",", ", "))
	}
	checkConsistency(c)
	checkPriority(c)
	checkClient(c)
	checkBulkLoad(c)
}

const longestFamily = 127

// readSplits converts a file with one split point per line to a list.
func readSplits(text string) (string, error) {
	var keys []string
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, "\r\n"); line != "" {
			keys = append(keys, strings.ReplaceAll(line, ",", `\x2C`))
		}
	}
	return checkSplits(strings.Join(keys, ","))
}

// checkSplits accepts distinct split points in any order.
func checkSplits(value string) (string, error) {
	keys, err := parseSplits(value)
	written := make([]string, len(keys))
	for i, key := range keys {
		written[i] = writeKey(key)
	}
	return strings.Join(written, ","), err
}

// parseSplits returns split points in order.
func parseSplits(list string) ([][]byte, error) {
	const most = 100_000
	if strings.TrimSpace(list) == "" {
		return nil, nil
	}
	var keys [][]byte
	for text := range strings.SplitSeq(list, ",") {
		key, err := readKey(text)
		switch {
		case err != nil:
			return nil, err
		case len(key) == 0:
			return nil, errors.New("contains an empty split point; remove it")
		case len(key) > 1<<15-1:
			return nil, fmt.Errorf("has a split point of %d bytes; a key in HBase has at most %d", len(key), 1<<15-1)
		case len(keys) == most:
			return nil, fmt.Errorf("has more than %d split points", most)
		}
		keys = append(keys, key)
	}
	slices.SortFunc(keys, slices.Compare[[]byte])
	for i := 1; i < len(keys); i++ {
		if slices.Equal(keys[i-1], keys[i]) {
			return nil, fmt.Errorf("has the split point %s twice", property.Quote(writeKey(keys[i])))
		}
	}
	return keys, nil
}

// readKey reads a key as HBase's shell prints it: bytes that cannot be printed are \xNN.
func readKey(text string) ([]byte, error) {
	var key []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			key = append(key, text[i])
			continue
		}
		if i+3 >= len(text) || text[i+1] != 'x' {
			return nil, fmt.Errorf(`invalid escape in %s: want bytes as \x00 and \ as \x5C`, property.Quote(text))
		}
		b, err := hex.DecodeString(text[i+2 : i+4])
		if err != nil {
			return nil, fmt.Errorf(`invalid escape in %s: want two hexadecimal digits after \x, such as \x00`, property.Quote(text))
		}
		key = append(key, b...)
		i += 3
	}
	return key, nil
}

func writeKey(key []byte) string {
	var text strings.Builder
	for _, b := range key {
		if ' ' < b && b < 127 && b != '\\' && b != ',' {
			text.WriteByte(b)
		} else {
			fmt.Fprintf(&text, `\x%02X`, b)
		}
	}
	return text.String()
}

// checkQuorum accepts ZooKeeper's servers with spaces around them.
func checkQuorum(value string) (string, error) { return checkAddresses(value, "ZooKeeper server") }

// checkAddresses accepts host[:port] of servers, separated by commas and spaces.
func checkAddresses(value, what string) (string, error) {
	var servers []string
	for server := range strings.SplitSeq(value, ",") {
		server = strings.TrimSpace(server)
		host, port := server, "1"
		switch inner, isBracketed := strings.CutPrefix(server, "["); {
		case isBracketed && strings.HasSuffix(inner, "]"):
			host = strings.TrimSuffix(inner, "]")
		case strings.Contains(server, ":"):
			var err error
			if host, port, err = net.SplitHostPort(server); err != nil {
				return "", fmt.Errorf("invalid %s %s: want host:port, with brackets around an IPv6 address", what, property.Quote(server))
			}
		}
		if host == "" || strings.ContainsAny(host, " /\\@?#") || property.Printable(host) != nil {
			return "", fmt.Errorf("invalid %s %s: want host or host:port, separated by commas", what, property.Quote(server))
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("invalid port in %s: want 1 to 65535", property.Quote(server))
		}
		servers = append(servers, server)
	}
	return strings.Join(servers, ","), nil
}

// checkZnode accepts a path in ZooKeeper, also with a trailing slash.
func checkZnode(value string) (string, error) {
	path := "/" + strings.Trim(strings.TrimSpace(value), "/")
	if !strings.HasPrefix(value, "/") || path == "/" || strings.Contains(path, "//") {
		return "", fmt.Errorf("invalid znode %s: want a path such as /hbase", property.Quote(value))
	}
	return path, property.Printable(path)
}

// checkCompressor accepts the name and the class of a codec.
func checkCompressor(value string) (string, error) {
	short := strings.TrimSuffix(value[strings.LastIndexByte(value, '.')+1:], "Codec")
	if short = strings.ToLower(short); short == "none" || short == "snappy" {
		return short, nil
	}
	return "", fmt.Errorf("invalid codec %s: want snappy or none, which benchd's HBase client supports", property.Quote(value))
}

func checkHexadecimal(value string) (string, error) {
	value = strings.TrimSpace(value)
	if _, err := hex.DecodeString(value); err != nil {
		return "", fmt.Errorf("%s is not hexadecimal; write two digits for each byte, such as 7fff", property.Quote(value))
	}
	return strings.ToLower(value), nil
}
