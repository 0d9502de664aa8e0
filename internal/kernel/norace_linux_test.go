//go:build !race

package kernel_test

import (
	"syscall"

	"github.com/benchd/benchd/internal/kernel"
)

func readRaw(fd uintptr, b []byte) (int, syscall.Errno) { return kernel.Read(fd, b) }

func writeRaw(fd uintptr, b []byte) (int, syscall.Errno) { return kernel.Write(fd, b) }
