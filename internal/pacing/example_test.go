package pacing_test

import (
	"fmt"

	"github.com/benchd/benchd/internal/pacing"
)

// Two agents share 1000 operations per second: each takes every second one. The instants are intended ones, whether or not a
// worker is free.
func Example() {
	rate := pacing.Rate{{From: 1000, To: 1000}}
	for shard := range 2 {
		schedule, err := pacing.New(pacing.Config{Arrival: pacing.FixedRate, Rate: rate}, shard, 2, 0)
		if err != nil {
			panic(err)
		}
		fmt.Println(shard, schedule.Claim(), schedule.Claim(), schedule.Claim())
	}
	// Output:
	// 0 0s 2ms 4ms
	// 1 1ms 3ms 5ms
}

// A ramp from 0 to 100 operations per second within 10 s intends 500 operations.
func ExampleRate_Area() {
	ramp := pacing.Rate{{From: 0, To: 100, Seconds: 10}}
	fmt.Println(ramp.Area(5), ramp.Area(10))
	// Output: 125 500
}
