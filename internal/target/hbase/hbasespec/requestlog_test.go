package hbasespec

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

// The file is a part of the log of HBase 2.6.4 with hbase.ipc.warn.response.size=0, while benchd worked on usertable.
func TestRequestsInTheLogOfARegionServer(t *testing.T) {
	text, err := os.ReadFile("testdata/regionserver-2.6.4.log")
	require.NoError(t, err)
	log := requestLog()
	require.True(t, log.Recognizes(text))
	kinds, skips := map[string]int{}, map[string]int{}
	for line := range bytes.Lines(text) {
		r, skipped, _, err := log.Read(line)
		require.NoError(t, err)
		if r == nil {
			skips[skipped]++
			continue
		}
		kinds[r.Operation]++
		require.Equal(t, "usertable", r.Table)
		require.Regexp(t, `^user\d{15,19}$`, string(r.Key))
		require.Equal(t, r.Operation == "READ", r.Size > 1000)
		require.Equal(t, 2026, time.Unix(0, int64(r.At)).UTC().Year())
	}
	require.Equal(t, map[string]int{"READ": 23, "UPDATE": 36}, kinds)
	require.Equal(t, map[string]int{
		"": 3, "Scan calls, whose first row HBase cuts off": 2, "calls that do not read or write rows": 3,
	}, skips)
}

func TestLinesOfOtherReleases(t *testing.T) {
	read := func(json string) (*descriptor.Request, string) {
		r, skipped, _, err := readRequest([]byte("WARN ipc.RpcServer: (responseTooSlow): " + json))
		require.NoError(t, err)
		return r, skipped
	}
	r, _ := read(`{"starttimems":1500,"queuetimems":20,"responsesize":7,"method":"Get","param":"region= ns:t,\\x00a,1.b., row=\\x00\\xFFx\\\\"}`)
	require.Equal(t, &descriptor.Request{At: 1480 * time.Millisecond, Operation: "READ", Table: "ns:t", Key: []byte{0, 0xff, 'x', '\\', '\\'}, Size: 7}, r)
	_, skipped := read(`{"method":"Multi","param":"region= t,,1., for 5 action(s) and 1st row key=a"}`)
	require.Equal(t, "Multi calls, whose lines have the first key alone", skipped)
	_, skipped = read(`{"method":"Get","param":"region= hbase:meta,,1, row=a"}`)
	require.Equal(t, "calls to HBase's own tables", skipped)
	_, skipped = read(`{"method":"Mutate","param":"TODO: class"}`)
	require.Equal(t, "calls whose lines have no key", skipped)
	_, _, column, err := readRequest([]byte(`x (responseTooLarge): {"method":"Get"`))
	require.ErrorContains(t, err, "invalid JSON")
	require.Equal(t, 23, column)
}
