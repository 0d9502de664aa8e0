package doctor

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/load"
)

// FuzzFromAnswer reads the findings that an agent sends.
func FuzzFromAnswer(f *testing.F) {
	f.Add([]byte(`{"Columns":["name","on","found","verdict","cure"],"Rows":[["disk","--spool s","1 GiB free","ok",""]]}`))
	f.Add([]byte(`{"Columns":["name","name"],"Rows":[[1,{"a":[]},null],[]]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var answer load.Answer
		if json.Unmarshal(text, &answer) != nil {
			return
		}
		findings, err := FromAnswer("a", answer)
		if err != nil {
			return
		}
		for _, one := range WhileServing("S.1", findings) {
			require.Equal(t, "a", one.Agent)
			require.Contains(t, []Verdict{OK, Unknown, Warn, Bad}, one.Verdict)
		}
		require.NoError(t, NewReport("v1", findings).Text(io.Discard))
	})
}
