package spec

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// judgeHBase judges what must fit together where HBase is the target.
func (j *judge) judgeHBase() {
	if j.sound("columnfamily") && j.value("columnfamily") == "" {
		j.fail(j.said("columnfamily"), "not given, and target hbase needs it; write columnfamily=family or whatever the table has")
	}
	if strings.Contains(j.value("columnfamily"), ":") {
		j.fail(j.said("columnfamily"), "%s has a colon in it; write the family alone: the fields' names are its columns", property.Quote(j.value("columnfamily")))
	}
	if n := len(j.value("columnfamily")); n > longestFamily {
		j.fail(j.said("columnfamily"), "is %d bytes long; a family in HBase has at most %d", n, longestFamily)
	}
	if table := j.value("table"); j.sound("table") && table != "" {
		if _, _, err := parseTable(table); err != nil {
			j.fail(j.said("table"), "%s", err)
		}
	}
	if e, ok := j.given["hbase.batch.delay"]; ok && j.value("hbase.batch.size") == "1" && !e.idle() {
		j.warn(e, "has no effect without hbase.batch.size above 1")
	}
	if e, ok := j.given["hbase.after.load"]; ok && j.value("phase") == "run" && !e.idle() {
		j.warn(e, "has no effect without a load: --phase load or load,run")
	}
	if e, ok := j.given["writebuffersize"]; ok && j.value("clientbuffering") == "false" && !e.idle() {
		j.warn(e, "has no effect without clientbuffering=true")
	}
	if e, ok := j.given["hbase.splits.formula"]; ok && j.value("hbase.splits") == "0" && !e.idle() {
		j.warn(e, "has no effect without hbase.splits=N")
	}
}

const longestFamily = 127

// splitsFile is the file of split points whose content is needed, or "".
func (j *judge) splitsFile() string {
	if _, filled := j.given[SplitKeys]; filled || j.value("db") != HBaseTarget && j.value("db") != Sandbox {
		return ""
	}
	return j.value("hbase.splits.file")
}

// attachSplits turns the content of the file that hbase.splits.file names into a list.
func (j *judge) attachSplits(attachments map[string][]byte) {
	name := j.splitsFile()
	if name == "" || j.bad["hbase.splits.file"] || j.bad[SplitKeys] {
		return
	}
	said := j.said("hbase.splits.file")
	content, ok := attachments[name]
	if !ok {
		j.bad[SplitKeys] = true
		j.fail(said, "the content of file %s was not handed in; is there such a file where you submit from?", property.Quote(name))
		return
	}
	text, err := decodeText(content)
	var list string
	if err == nil {
		var keys []string
		for line := range strings.Lines(text) {
			if line = strings.Trim(line, "\r\n"); line != "" {
				keys = append(keys, strings.ReplaceAll(line, ",", `\x2C`))
			}
		}
		list, err = checkSplits(strings.Join(keys, ","))
	}
	if err != nil {
		j.bad[SplitKeys] = true
		j.fail(said, "file %s: %s", property.Quote(name), err)
		return
	}
	key, _ := j.table.find(SplitKeys)
	j.given[SplitKeys] = entry{key: key, written: SplitKeys, value: list, place: name, rank: said.rank, order: said.order}
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
