//go:build !race

package rawio_test

import (
	"syscall"

	"github.com/benchd/benchd/internal/rawio"
)

func readRaw(fd uintptr, b []byte) (int, syscall.Errno) { return rawio.Read(fd, b) }

func writeRaw(fd uintptr, b []byte) (int, syscall.Errno) { return rawio.Write(fd, b) }
