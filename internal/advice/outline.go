package advice

import "github.com/benchd/benchd/internal/plan"

// Outline is what a suite will do, and what earlier runs show of it, as JSON. Fields are added, and never removed or changed.
type Outline struct {
	plan.Outline
	Advice   *Advice `json:"advice"`
	NoAdvice string  `json:"no_advice,omitempty"` // why there is none
}
