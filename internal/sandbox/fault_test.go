package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/benchd/benchd/internal/sandbox/fault"
)

// The next page of a scan finds its scanner unknown; a scan that one call answers is not affected.
func TestAnUnknownScannerEndsItsScan(t *testing.T) {
	s := start(t, Options{Faults: []fault.Fault{{Kind: fault.UnknownScanner, Share: 1}}})
	create(t, s, "t")
	client := connect(t, s)
	for _, row := range []string{"a", "b", "c"} {
		_, err := client.Put(must(hrpc.NewPutStr(patient(t), "t", row, values(row))))
		require.NoError(t, err)
	}
	require.Equal(t, "a", read(t, client, "a"))
	scan := client.Scan(must(hrpc.NewScanStr(patient(t), "t", hrpc.NumberOfRows(1))))
	defer scan.Close()
	var err error
	for err == nil {
		_, err = scan.Next()
	}
	require.NotErrorIs(t, err, io.EOF, "the scan reached its end")
	require.ErrorContains(t, err, "org.apache.hadoop.hbase.UnknownScannerException")
	require.Positive(t, s.faults.List()[0].Hits)
}

// An exception reaches the client with the requested class.
func TestACustomExceptionReachesTheClient(t *testing.T) {
	s := start(t, Options{Faults: []fault.Fault{{Kind: fault.IOException, Exception: "java.io.FileNotFoundException", Share: 1, Where: fault.Where{Ops: []fault.Op{fault.Get}}}}})
	create(t, s, "t")
	client := connect(t, s)
	_, err := client.Put(must(hrpc.NewPutStr(patient(t), "t", "a", values("a"))))
	require.NoError(t, err)
	_, err = client.Get(must(hrpc.NewGetStr(patient(t), "t", "a")))
	require.ErrorContains(t, err, "java.io.FileNotFoundException")
}

// The metrics count exactly the operations done.
func TestMetricsCountTheOperations(t *testing.T) {
	s := start(t, Options{})
	create(t, s, "t", "b")
	client := connect(t, s)
	work := func(puts, gets int) {
		for i := range puts {
			_, err := client.Put(must(hrpc.NewPutStr(patient(t), "t", fmt.Sprintf("%c", 'a'+i%3), values("v"))))
			require.NoError(t, err)
		}
		for range gets {
			require.Equal(t, "v", read(t, client, "a"))
		}
	}
	work(3, 1) // the client looks up regions, and probes them with a Get
	before := figures(t, s)
	work(30, 20)
	after := figures(t, s)
	for name, want := range map[string]float64{
		"rpcMutateRequestCount": 30, "rpcGetRequestCount": 20, "rpcScanRequestCount": 0, "rpcMultiRequestCount": 0,
		"totalRequestCount": 50, "writeRequestCount": 30, "readRequestCount": 20, "Get_num_ops": 20, "Put_num_ops": 30,
		"Namespace_default_table_t_metric_readRequestCount": 20, "Namespace_default_table_t_metric_writeRequestCount": 30,
	} {
		require.Equal(t, want, after[name]-before[name], name)
	}
	require.Equal(t, 3.0, after["regionCount"], "with hbase:meta's")
	require.Equal(t, 2.0, after["Namespace_default_table_t_metric_regionCount"])
}

// figures are the sums over all region servers.
func figures(t *testing.T, s *Sandbox) map[string]float64 {
	t.Helper()
	sums := map[string]float64{}
	for _, server := range s.Servers() {
		for _, bean := range beans(t, server.Info) {
			if of := bean["modelerType"]; of != "RegionServer,sub=Server" && of != "RegionServer,sub=Tables" {
				continue
			}
			for name, value := range bean {
				if n, ok := value.(float64); ok {
					sums[name] += n
				}
			}
		}
	}
	return sums
}

func beans(t *testing.T, info string) []map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(patient(t), http.MethodGet, "http://"+info+"/jmx", http.NoBody)
	require.NoError(t, err)
	client := http.Client{Timeout: time.Minute}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	var page struct{ Beans []map[string]any }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&page))
	return page.Beans
}
