//go:build !linux

package security

import "errors"

// LocalPeer returns an error: benchd identifies local peers on Linux only.
func LocalPeer(own, remote string) (Local, error) {
	return Local{}, errors.New("benchd identifies local peers on Linux only")
}
