package watch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/clock"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/target/hbase/admin"
)

// A region server's clock may be hours off or be set meanwhile: rates use the time that has passed here.
func TestRatesDoNotDependOnTheServersClock(t *testing.T) {
	for name, offset := range map[string]time.Duration{"right": 0, "ahead": 5 * time.Hour, "behind": -5 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l serverLoads
				rates := observe.NewRates()
				reads := uint64(1000)
				var got []float64
				for report := range 10 {
					switch report {
					case 4:
						offset += time.Hour
					case 7:
						offset -= 3 * time.Hour
					}
					s := &admin.Server{Name: "rs,1,1", Reported: time.Now().Add(offset), RegionLoads: []admin.Load{{Region: "a", Reads: reads}}}
					rates.Since(clock.Mono().Add(-time.Hour))
					<-time.After(time.Second) // the report is seen later than it was made
					l.note(s, clock.Mono())
					g := l.group(s, "rs:1")
					for _, sample := range rates.Take(nil, &g) {
						if sample.Name == server+"requests_read" {
							got = append(got, sample.Value)
						}
					}
					<-time.After(2 * time.Second)
					reads += 300
				}
				require.Equal(t, []float64{100, 100, 100, 100, 100, 100, 100, 100, 100}, got)
			})
		})
	}
}
