package latency_test

import (
	"fmt"
	"time"

	"github.com/benchd/benchd/internal/latency"
)

// Two agents measure reads. Their histograms travel in their binary form and are merged; percentiles are read from the merged
// histogram and never averaged.
func Example() {
	reads := []latency.Key{{Op: "READ", Outcome: "OK"}}
	var whole latency.Merged
	for agent := range 2 {
		recorder := latency.NewRecorder(reads, 1)
		worker := recorder.Local(0)
		for i := range int64(1000) {
			done := i * int64(time.Millisecond)
			took := int64(time.Duration(100*(agent+1)) * time.Microsecond)
			worker.Record(0, done, took, took)
		}
		series, _ := recorder.CutWindow(int64(time.Second))

		wire, err := series[0].Response.AppendBinary(nil)
		if err != nil {
			panic(err)
		}
		received, err := latency.TakeHistogram(wire)
		if err != nil {
			panic(err)
		}
		if err := whole.Add([]latency.Series{{Key: series[0].Key, Response: received, Service: received}}); err != nil {
			panic(err)
		}
	}
	response := whole.Series()[0].Response
	fmt.Println(response.Count(), "reads, mean", time.Duration(response.Mean()), "max", time.Duration(response.Max()))
	for _, q := range []float64{0.5, 0.99, 0.999} {
		fmt.Println(q, response.Supports(q), time.Duration(response.Quantile(q)).Round(time.Microsecond))
	}
	// Output:
	// 2000 reads, mean 150µs max 200µs
	// 0.5 true 100µs
	// 0.99 true 200µs
	// 0.999 false 200µs
}

func ExampleMinSamples() {
	for _, q := range []float64{0.5, 0.99, 0.999} {
		fmt.Println(q, latency.MinSamples(q))
	}
	// Output:
	// 0.5 11
	// 0.99 662
	// 0.999 6636
}
