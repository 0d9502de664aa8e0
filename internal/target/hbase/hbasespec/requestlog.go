package hbasespec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
)

// requestLog reads the log of a region server. The server logs a call as a line with (responseTooSlow) or (responseTooLarge) and a
// JSON object; with hbase.ipc.warn.response.size=0 it logs every call that answers with data.
func requestLog() *descriptor.RequestLog {
	return &descriptor.RequestLog{
		Doc: "the log of an HBase region server",
		Recognizes: func(head []byte) bool {
			return bytes.Contains(head, []byte("(response")) || bytes.Contains(head, []byte("] ipc.")) || bytes.Contains(head, []byte("org.apache.hadoop"))
		},
		Read: readRequest,
	}
}

// loggedCall is the JSON object of such a line.
type loggedCall struct {
	StartTimeMs  number `json:"starttimems"`
	QueueTimeMs  number `json:"queuetimems"`
	ResponseSize number `json:"responsesize"`
	Method       string `json:"method"`
	Param        string `json:"param"`
}

// number is a number that some releases of HBase write as a string.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("invalid number %s", text)
	}
	*n = number(v)
	return nil
}

func readRequest(line []byte) (r *descriptor.Request, skipped string, column int, err error) {
	mark := bytes.Index(line, []byte("(response"))
	if mark < 0 {
		return nil, "", 0, nil
	}
	at := bytes.IndexByte(line[mark:], '{')
	if at < 0 {
		return nil, "", 0, nil
	}
	var c loggedCall
	if err := json.Unmarshal(line[mark+at:], &c); err != nil {
		return nil, "", mark + at + 1, fmt.Errorf("invalid JSON: %w", err)
	}
	r, skipped = c.request()
	return r, skipped, 0, nil
}

// request returns what a call requests, or why it cannot be captured.
func (c loggedCall) request() (r *descriptor.Request, skipped string) {
	operation := map[string]string{"Get": "READ", "Mutate": "UPDATE"}[c.Method]
	switch {
	case c.Method == "Multi":
		return nil, "Multi calls, whose lines have the first key alone"
	case c.Method == "Scan":
		return nil, "Scan calls, whose first row HBase cuts off"
	case operation == "":
		return nil, "calls that do not read or write rows"
	}
	region, row, found := strings.Cut(strings.TrimPrefix(c.Param, "region= "), ", row=")
	if !found || row == "" || !strings.HasPrefix(c.Param, "region= ") {
		return nil, "calls whose lines have no key"
	}
	table, _, _ := strings.Cut(region, ",")
	if strings.HasPrefix(table, "hbase:") {
		return nil, "calls to HBase's own tables"
	}
	r = &descriptor.Request{Operation: operation, Table: table, Key: unescapeBinary(row)}
	// The client has sent it before it waited in the server's queue.
	r.At = time.Duration(c.StartTimeMs-c.QueueTimeMs) * time.Millisecond
	if operation == "READ" {
		r.Size = int(max(c.ResponseSize, 0))
	}
	return r, ""
}

// unescapeBinary reverses HBase's Bytes.toStringBinary, which writes a byte as \x00.
func unescapeBinary(text string) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) && text[i+1] == 'x' {
			if b, err := strconv.ParseUint(text[i+2:i+4], 16, 8); err == nil {
				out = append(out, byte(b))
				i += 3
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}
