package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

func start(t testing.TB, o Options) *Sandbox {
	t.Helper()
	logrus.SetLevel(logrus.PanicLevel)
	s, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func connect(t testing.TB, s *Sandbox, options ...gohbase.Option) gohbase.Client {
	t.Helper()
	c := gohbase.NewClient(s.Quorum(), append([]gohbase.Option{gohbase.RpcQueueSize(1)}, options...)...)
	t.Cleanup(c.Close)
	return c
}

func patient(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func create(t testing.TB, s *Sandbox, table string, splits ...string) {
	t.Helper()
	keys := make([][]byte, len(splits))
	for i, k := range splits {
		keys[i] = []byte(k)
	}
	admin := gohbase.NewAdminClient(s.Quorum())
	require.NoError(t, admin.CreateTable(hrpc.NewCreateTable(patient(t), []byte(table), map[string]map[string]string{"f": nil}, hrpc.SplitKeys(keys))))
}

func values(v string) map[string]map[string][]byte {
	return map[string]map[string][]byte{"f": {"q": []byte(v)}}
}

// An HBase client creates a table, writes, reads, scans, counts, appends, checks and deletes.
func TestClientReadsAndWrites(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []gohbase.Option
	}{
		{"plain", nil},
		{"snappy", []gohbase.Option{gohbase.CompressionCodec("snappy")}},
		{"batched", []gohbase.Option{gohbase.RpcQueueSize(50), gohbase.FlushInterval(time.Millisecond)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, Options{})
			create(t, s, "t", "r3", "r6")
			client, ctx := connect(t, s, c.options...), patient(t)
			for i := range 10 {
				put, err := hrpc.NewPutStr(ctx, "t", fmt.Sprint("r", i), values(fmt.Sprint("v", i)))
				require.NoError(t, err)
				_, err = client.Put(put)
				require.NoError(t, err)
			}
			require.Equal(t, "v4", read(t, client, "r4"))
			require.Empty(t, read(t, client, "none"))

			scan, err := hrpc.NewScanStr(ctx, "t", hrpc.NumberOfRows(2))
			require.NoError(t, err)
			require.Equal(t, "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 ", rows(t, client, scan))
			scan, err = hrpc.NewScanRangeStr(ctx, "t", "r8", "r2", hrpc.Reversed())
			require.NoError(t, err)
			require.Equal(t, "r8 r7 r6 r5 r4 r3 ", rows(t, client, scan))

			inc, err := hrpc.NewIncStrSingle(ctx, "t", "n", "f", "q", 3)
			require.NoError(t, err)
			_, err = client.Increment(inc)
			require.NoError(t, err)
			n, err := client.Increment(inc)
			require.NoError(t, err)
			require.EqualValues(t, 6, n)

			app, err := hrpc.NewAppStr(ctx, "t", "r0", values("+"))
			require.NoError(t, err)
			_, err = client.Append(app)
			require.NoError(t, err)
			require.Equal(t, "v0+", read(t, client, "r0"))

			put, err := hrpc.NewPutStr(ctx, "t", "r0", values("new"))
			require.NoError(t, err)
			done, err := client.CheckAndPut(put, "f", "q", []byte("other"))
			require.NoError(t, err)
			require.False(t, done)
			done, err = client.CheckAndPut(put, "f", "q", []byte("v0+"))
			require.NoError(t, err)
			require.True(t, done)
			require.Equal(t, "new", read(t, client, "r0"))

			del, err := hrpc.NewDelStr(ctx, "t", "r0", nil)
			require.NoError(t, err)
			_, err = client.Delete(del)
			require.NoError(t, err)
			require.Empty(t, read(t, client, "r0"))
		})
	}
}

func read(t testing.TB, client gohbase.Client, row string) string {
	t.Helper()
	get, err := hrpc.NewGetStr(patient(t), "t", row)
	require.NoError(t, err)
	result, err := client.Get(get)
	require.NoError(t, err)
	if len(result.Cells) == 0 {
		return ""
	}
	return string(result.Cells[0].Value)
}

func rows(t testing.TB, client gohbase.Client, scan *hrpc.Scan) string {
	t.Helper()
	var all strings.Builder
	scanner := client.Scan(scan)
	for {
		r, err := scanner.Next()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		require.NoError(t, err)
		all.WriteString(string(r.Cells[0].Row) + " ")
	}
}
