// Package freeport finds ports for servers of tests that must know their port before they listen, or that listen on it again.
//
// A port that the kernel chose for a listener and that was closed since is chosen again soon, for the next listener or an
// outgoing connection of any process. So these ports lie below the range from which the kernel chooses, and a locked file
// keeps each one from the tests in other processes. Only tests import the package.
package freeport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// first and last bound the ports. Linux chooses from 32768 on, other systems higher.
const first, last = 12_000, 32_000

// Take returns a port of 127.0.0.1 on which nothing listens. No other call, in any process of
// this user, returns it until this process ends.
func Take() (int, error) {
	dir := filepath.Join(os.TempDir(), "benchd-test-ports-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	var why error
	for range 100 {
		port := first + rand.IntN(last-first) //nolint:gosec // no secret
		if err := take(dir, port); err != nil {
			why = err
			continue
		}
		return port, nil
	}
	return 0, fmt.Errorf("find a free port: %w", why)
}

// take locks a port, and checks that nothing listens on it. The lock ends with the process: nothing closes the file.
func take(dir string, port int) error {
	file, err := syscall.Open(filepath.Join(dir, strconv.Itoa(port)), syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("open the file of port %d: %w", port, err)
	}
	if err := syscall.Flock(file, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(err, syscall.Close(file))
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		return errors.Join(err, syscall.Close(file))
	}
	return nil
}

// Address returns 127.0.0.1 with a port of Take.
func Address() (string, error) {
	port, err := Take()
	if err != nil {
		return "", err
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), nil
}
