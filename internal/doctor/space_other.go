//go:build !linux && !darwin

package doctor

import "errors"

// SpaceOf is not known here.
func SpaceOf(string) (Space, error) { return Space{}, errors.New("this system does not say it") }
