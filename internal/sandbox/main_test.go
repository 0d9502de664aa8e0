package sandbox

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// gohbase leaks its region lookups when it is closed during one.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/tsuna/gohbase.(*client).establishRegion"),
		goleak.IgnoreAnyFunction("github.com/tsuna/gohbase.(*client).reestablishRegion"))
}
