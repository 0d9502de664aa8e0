package sandbox

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// gohbase leaves its look-ups behind when it is closed while it makes one.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/tsuna/gohbase.(*client).establishRegion"),
		goleak.IgnoreAnyFunction("github.com/tsuna/gohbase.(*client).reestablishRegion"))
}
