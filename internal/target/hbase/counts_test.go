package hbase_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/workload"
)

// Retries, connections and look-ups are counted, and an operation that needs none adds nothing.
func TestRetriesAreCounted(t *testing.T) {
	from, to := newFake(t), newFake(t)
	to.put("a", map[string]string{"f": "v"})
	places := &two{addrs: [2]string{from.addr(), from.addr()}}
	target, s := open(t, settings(t), table(places.locate))
	from.do(func(*request) *reply {
		places.move(0, to.addr())
		return &reply{exception: "org.apache.hadoop.hbase.NotServingRegionException: usertable,,1.abc. is not online"}
	})
	require.Zero(t, target.Counts()["retry"])
	require.Equal(t, workload.OK, s.Do(t.Context(), read("a")).Code)
	after := target.Counts()
	require.EqualValues(t, 1, after["retry"])
	require.Positive(t, after["connect"])
	require.Equal(t, workload.OK, s.Do(t.Context(), read("a")).Code)
	require.Equal(t, after, target.Counts(), "nothing is done twice")
}
