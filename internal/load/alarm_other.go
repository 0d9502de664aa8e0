//go:build !linux

package load

import (
	"context"
	"time"
)

// kernelTimer exists on Linux only.
type kernelTimer struct{}

func newKernelTimer() *kernelTimer { return nil }

func (*kernelTimer) wait(context.Context, time.Duration) error { return nil }

func (*kernelTimer) close() error { return nil }
