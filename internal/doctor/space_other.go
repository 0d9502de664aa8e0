//go:build !linux && !darwin

package doctor

import "errors"

// SpaceOf is not available on this system.
func SpaceOf(string) (Space, error) { return Space{}, errors.New("not available on this system") }
