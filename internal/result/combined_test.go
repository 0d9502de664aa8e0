package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/result"
)

// YCSB counts a READ as a READ even as a part of a larger operation, and failures together unless they are requested one
// by one. Their percentiles come from merged histograms like all others.
func TestCombined(t *testing.T) {
	for _, tc := range []struct {
		name    string
		combine result.Combine
		want    map[string]uint64
	}{
		{"failures together", result.Combine{}, map[string]uint64{
			"READ": 800, "READ-FAILED": 30, "READ-MODIFY-WRITE": 300, "DELETE": 0, "DELETE-FAILED": 5,
		}},
		{"failures one by one", result.Combine{EachError: true}, map[string]uint64{
			"READ": 800, "READ-NOT_FOUND": 10, "READ-ERROR": 20, "READ-MODIFY-WRITE": 300, "DELETE": 0, "DELETE-ERROR": 5,
		}},
		{"some failures by name", result.Combine{Errors: []string{"NOT_FOUND"}}, map[string]uint64{
			"READ": 800, "READ-NOT_FOUND": 10, "READ-FAILED": 20, "READ-MODIFY-WRITE": 300, "DELETE": 0, "DELETE-FAILED": 5,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := config(2)
			cfg.Combine = tc.combine
			cfg.Percentiles = []float64{75, 99.9}
			b := result.NewBuilder(cfg)
			add(t, b,
				of("measure", 0).last(
					series("READ", "OK", same(500, 100)...),
					series("READ", "NOT_FOUND", same(10, 1)...),
					series("DELETE", "ERROR", same(5, 1)...)),
				of("measure", 1).last(
					series("READ-MODIFY-WRITE", "OK", same(300, 900)...),
					inRMW(series("READ", "OK", same(300, 400)...)),
					inRMW(series("READ", "ERROR", same(20, 1)...))))
			got := make(map[string]uint64)
			for _, c := range document(t, b).Phases[0].Combined {
				got[c.Name] = c.Count
				switch c.Name {
				case "READ":
					require.Equal(t, map[string]uint64{"OK": 800, "NOT_FOUND": 10, "ERROR": 20}, c.Returns)
					require.Contains(t, c.Percentiles, "75")
					require.InEpsilon(t, 400, *c.Percentiles["75"], 0.001)
					require.Contains(t, c.Percentiles, "99.9")
					require.Nil(t, c.Percentiles["99.9"], "too few samples")
					require.InEpsilon(t, 400, *c.Service.Percentiles["75"], 0.001)
				case "DELETE":
					require.Equal(t, map[string]uint64{"ERROR": 5}, c.Returns)
				}
			}
			require.Equal(t, tc.want, got)
		})
	}
}
