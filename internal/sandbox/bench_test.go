package sandbox

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/hrpc"
)

// BenchmarkGet measures a Get of 1 KB with client and server in one process. docs/performance.md reports the server's
// part alone.
func BenchmarkGet(b *testing.B) {
	s := start(b, Options{})
	create(b, s, "t")
	client := connect(b, s)
	for i := range 1000 {
		put, err := hrpc.NewPutStr(b.Context(), "t", fmt.Sprintf("r%04d", i), values(string(make([]byte, 1000))))
		require.NoError(b, err)
		_, err = client.Put(put)
		require.NoError(b, err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	const workers = 16
	for w := range workers {
		wg.Go(func() {
			for i := w; i < b.N; i += workers {
				get, err := hrpc.NewGetStr(b.Context(), "t", fmt.Sprintf("r%04d", i%1000))
				if err == nil {
					_, err = client.Get(get)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
