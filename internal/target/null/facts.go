package null

import (
	"context"
	"strconv"

	"github.com/benchd/benchd/internal/load"
)

// Facts describes the simulation.
func (t *System) Facts(context.Context) (map[string]string, error) {
	facts := map[string]string{"target": "null", "null.service": t.settings.Service.String()}
	if c := t.settings.Capacity; c > 0 {
		facts["null.capacity"] = strconv.FormatFloat(c, 'f', -1, 64)
	}
	return facts, nil
}

var _ load.Observer = (*System)(nil)
