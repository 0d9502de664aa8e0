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

// check reports what does not fit together where HBase is the target.
func check(c descriptor.Case) {
	family := c.Value("columnfamily")
	if c.Sound("columnfamily") && family == "" {
		c.Fail("columnfamily", "not given, and target hbase needs it; write columnfamily=family or whatever the table has")
	}
	if strings.Contains(family, ":") {
		c.Fail("columnfamily", "%s has a colon in it; write the family alone: the fields' names are its columns", property.Quote(family))
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
}

const longestFamily = 127

// readSplits makes a list of split points of a file that has one on each line.
func readSplits(text string) (string, error) {
	var keys []string
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, "\r\n"); line != "" {
			keys = append(keys, strings.ReplaceAll(line, ",", `\x2C`))
		}
	}
	return checkSplits(strings.Join(keys, ","))
}

// checkSplits accepts split points in any order, each once.
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
			return nil, errors.New("has an empty split point in it; leave it out")
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

// readKey reads a key as HBase's shell prints it: what cannot be printed as \xNN.
func readKey(text string) ([]byte, error) {
	var key []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			key = append(key, text[i])
			continue
		}
		if i+3 >= len(text) || text[i+1] != 'x' {
			return nil, fmt.Errorf(`%s has a \ in it that begins no byte; write bytes as \x00 and \ as \x5C`, property.Quote(text))
		}
		b, err := hex.DecodeString(text[i+2 : i+4])
		if err != nil {
			return nil, fmt.Errorf(`%s has no hexadecimal digits behind \x; write bytes as \x00`, property.Quote(text))
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

// checkQuorum accepts ZooKeeper's servers with blanks around them.
func checkQuorum(value string) (string, error) {
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
				return "", fmt.Errorf("%s is no host:port; an IPv6 address has brackets around it", property.Quote(server))
			}
		}
		if host == "" || strings.ContainsAny(host, " /\\@?#") || property.Printable(host) != nil {
			return "", fmt.Errorf("%s is no server of ZooKeeper; write host or host:port, with commas between several", property.Quote(server))
		}
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("%s has no port from 1 to 65535 behind its colon", property.Quote(server))
		}
		servers = append(servers, server)
	}
	return strings.Join(servers, ","), nil
}

// checkZnode accepts a path in ZooKeeper, with a slash behind it too.
func checkZnode(value string) (string, error) {
	path := "/" + strings.Trim(strings.TrimSpace(value), "/")
	if !strings.HasPrefix(value, "/") || path == "/" || strings.Contains(path, "//") {
		return "", fmt.Errorf("%s is no path in ZooKeeper; write one such as /hbase", property.Quote(value))
	}
	return path, property.Printable(path)
}

// checkCompressor accepts the name and the class of a codec.
func checkCompressor(value string) (string, error) {
	short := strings.TrimSuffix(value[strings.LastIndexByte(value, '.')+1:], "Codec")
	if short = strings.ToLower(short); short == "none" || short == "snappy" {
		return short, nil
	}
	return "", fmt.Errorf("%s is no codec that the HBase client in benchd has; it has snappy, and none", property.Quote(value))
}

func checkHexadecimal(value string) (string, error) {
	value = strings.TrimSpace(value)
	if _, err := hex.DecodeString(value); err != nil {
		return "", fmt.Errorf("%s is not hexadecimal; write two digits for each byte, such as 7fff", property.Quote(value))
	}
	return strings.ToLower(value), nil
}

// refuse accepts the only value that the client can do, and tells why for any other.
func refuse(only, reason string) func(string) (string, error) {
	return func(value string) (string, error) {
		if strings.EqualFold(value, only) {
			return only, nil
		}
		return "", fmt.Errorf("%s is not supported: %s; leave it out for a cluster without", value, reason)
	}
}
