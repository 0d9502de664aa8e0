package archive

import (
	"encoding/json"
	"time"
)

// Schedule is a suite that recurs.
type Schedule struct {
	Name    string
	Recurs  string // when, such as "every 24h"
	Owner   string // who submitted it
	Created time.Time
	Next    time.Time // the first due time that is not decided
	Paused  bool
	Request []byte          // the submission that is repeated, in the encoding of the protocol
	State   json.RawMessage // the coordinator's own
}
