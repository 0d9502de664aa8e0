//go:build !linux

package rawio

// Beat does nothing: this system has no raw system calls that the runtime's monitor could sleep through.
func Beat() (stop func()) { return func() {} }
