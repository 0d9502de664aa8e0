package rawio

import (
	"syscall"
	"unsafe"
)

// Most is the maximum number of bytes copied at a time.
const Most = 64 << 10

// Read reads the available bytes, at most Most. The error is EAGAIN if there are none.
func Read(fd uintptr, b []byte) (n int, errno syscall.Errno) {
	if n, errno = call(syscall.SYS_READ, fd, b); errno == 0 {
		received(fd)
	}
	return n, errno
}

// ReadKnown reads as Read does, and announces the call to the runtime.
func ReadKnown(fd uintptr, b []byte) (n int, errno syscall.Errno) {
	for {
		n, _, errno := syscall.Syscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(min(len(b), Most)))
		switch errno {
		case 0:
			received(fd)
			return int(n), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

// Write writes what can be written at once, at most Most bytes. The error is EAGAIN if nothing can.
func Write(fd uintptr, b []byte) (n int, errno syscall.Errno) {
	sends(fd)
	return call(syscall.SYS_WRITE, fd, b)
}

// call repeats a system call while signals interrupt it.
func call(number, fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(min(len(b), Most)))
		switch errno {
		case 0:
			return int(n), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
