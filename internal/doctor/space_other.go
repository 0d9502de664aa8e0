//go:build !linux && !darwin

package doctor

import "errors"

// SpaceOf cannot be told here.
func SpaceOf(string) (Space, error) { return Space{}, errors.New("this system does not say it") }
