package result

import (
	"encoding/json"
	"fmt"
)

// Read reads the JSON of a result: of a run, or of a suite of several.
func Read(text []byte) (run Run, suite *Suite, err error) {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return run, nil, fmt.Errorf("read result: %w", err)
	}
	if kind.Kind == "suite" {
		suite = new(Suite)
		err = json.Unmarshal(text, suite)
	} else {
		err = json.Unmarshal(text, &run)
	}
	if err != nil {
		return run, nil, fmt.Errorf("read result: %w", err)
	}
	return run, suite, nil
}
