//go:build !linux

package alarm

import (
	"context"
	"time"
)

// kernelTimer exists on Linux only.
type kernelTimer struct{ known bool }

func newKernelTimer() (*kernelTimer, error) { return nil, nil }

func (*kernelTimer) set(time.Duration) error { return nil }

func (*kernelTimer) wait() error { return nil }

func (*kernelTimer) sleep(context.Context, time.Duration) error { return nil }

func (*kernelTimer) close() error { return nil }
