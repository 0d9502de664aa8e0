package null

import (
	"context"

	"github.com/benchd/benchd/internal/load"
)

// Facts tells what is simulated.
func (t *Target) Facts(context.Context) (map[string]string, error) {
	return map[string]string{"target": "null", "null.service": t.settings.Service.String()}, nil
}

// Observe reads nothing: what is not there reports no figures.
func (*Target) Observe(context.Context) ([]load.Reading, error) { return nil, nil }

var _ load.Observer = (*Target)(nil)
