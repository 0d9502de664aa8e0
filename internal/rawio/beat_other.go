//go:build !linux

package rawio

// Beat does nothing: there are no raw system calls here that the runtime's monitor could sleep through.
func Beat() (stop func()) { return func() {} }
