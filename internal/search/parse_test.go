package search_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/search"
)

func TestObjectives(t *testing.T) {
	tests := []struct{ text, want string }{
		{"p99(READ) < 10ms", "p99(READ) < 10ms"},
		{"p99(read)<10ms AND errors<0.1%", "p99(READ) < 10ms and errors < 0.1%"},
		{"P99.9 <= 1.5s, avg(READ-MODIFY-WRITE) < 800us", "p99.9 <= 1.5s and mean(READ-MODIFY-WRITE) < 800µs"},
		{"p999 < 2 ms and p9999 < 3ms", "p99.9 < 2ms and p99.99 < 3ms"},
		{"throughput >= 20k and max < 1m", "throughput >= 20000 and max < 1m"},
		{"throughput > 0.5M ops/s", "throughput > 500000"},
		{"errors <= 0", "errors <= 0%"},
		{"errors(SCAN) < 1 %", "errors(SCAN) < 1%"},
	}
	for _, test := range tests {
		got, err := search.ParseObjective(test.text)
		require.NoError(t, err, test.text)
		require.Equal(t, test.want, got.String())
		again, err := search.ParseObjective(got.String())
		require.NoError(t, err, "an objective reads its own text")
		require.Equal(t, got, again)
	}
}

func TestInvalidObjectives(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "objective is empty: want terms such as p99(READ) < 10ms and errors < 0.1%"},
		{"p99(READ) < 10ms and", `term 1 of the objective, "p99(READ) < 10ms and": invalid latency "10ms and": want a number with a unit (us, ms or s) up to an hour, such as 800us or 1.5ms`},
		{"errors < 1% and p98(READ) < 10ms", `term 2 of the objective, "p98(READ) < 10ms": unknown figure "p98": did you mean p90? Figures are mean, p50, p90, p95, p99, p99.9, p99.99, max, errors, throughput`},
		{"latency < 10ms", `term 1 of the objective, "latency < 10ms": unknown figure "latency": figures are mean, p50, p90, p95, p99, p99.9, p99.99, max, errors, throughput`},
		{"p99 = 10ms", `term 1 of the objective, "p99 = 10ms": want FIGURE(OPERATION) < LIMIT, such as p99(READ) < 10ms, errors < 0.1% or throughput > 5000`},
		{"p99 > 10ms", `term 1 of the objective, "p99 > 10ms": invalid >: p99 has an upper limit; write <`},
		{"p99 < 10", `term 1 of the objective, "p99 < 10": invalid latency "10": want a number with a unit (us, ms or s) up to an hour, such as 800us or 1.5ms`},
		{"p99 < 0s", `term 1 of the objective, "p99 < 0s": nothing is below 0: write p99 <= 0`},
		{"errors < 0.1", `term 1 of the objective, "errors < 0.1": invalid share "0.1": want a percentage, such as 0.1%`},
		{"errors < 101%", `term 1 of the objective, "errors < 101%": invalid share "101%": want a percentage, such as 0.1%`},
		{"throughput < 5000", `term 1 of the objective, "throughput < 5000": invalid <: a throughput has a lower limit, such as throughput > 5000`},
		{"throughput(READ) > 5000", `term 1 of the objective, "throughput(READ) > 5000": invalid operation READ: a throughput is that of all operations; write throughput > 5000`},
		{"throughput > fast", `term 1 of the objective, "throughput > fast": invalid throughput "fast": want operations per second, such as 500 or 20k`},
	}
	for _, test := range tests {
		_, err := search.ParseObjective(test.text)
		require.EqualError(t, err, test.want)
	}
}

func TestTermsHold(t *testing.T) {
	o, err := search.ParseObjective("p99 < 10ms and p95 <= 5ms and throughput > 100 and throughput >= 200")
	require.NoError(t, err)
	terms := o.Terms()
	require.True(t, terms[0].Holds(9999))
	require.False(t, terms[0].Holds(10000))
	require.True(t, terms[1].Holds(5000))
	require.False(t, terms[1].Holds(5000.1))
	require.False(t, terms[2].Holds(100))
	require.True(t, terms[2].Holds(100.5))
	require.True(t, terms[3].Holds(200))
	require.False(t, terms[3].Holds(199))
}

func TestASpaceIsTheSameAfterItsJourneyAsJSON(t *testing.T) {
	keep, err := search.ParseObjective("p99(READ) < 10ms and errors < 0.1%")
	require.NoError(t, err)
	for _, s := range []search.Space{
		{Vary: search.Rate, From: 100, To: 1000, Keep: keep, Tolerance: 0.1, Confirm: 2, Most: 20},
		{Vary: search.Threads, From: 1, To: 64},
	} {
		text, err := json.Marshal(s)
		require.NoError(t, err)
		var back search.Space
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, s, back)
	}
}

func TestInvalidSpaces(t *testing.T) {
	tests := []struct {
		space search.Space
		want  string
	}{
		{search.Space{Vary: "speed", From: 1, To: 2}, `invalid vary "speed": want rate (operations per second in an open loop) or threads`},
		{search.Space{Vary: search.Rate, To: 2}, "invalid from 0: want a number above 0"},
		{search.Space{Vary: search.Rate, From: 5, To: 5}, "invalid to 5: want a number above from, which is 5"},
		{search.Space{Vary: search.Threads, From: 1, To: 2.5}, "invalid from 1 or to 2.5: want whole numbers of threads"},
		{search.Space{Vary: search.Rate, From: 1, To: 2, Tolerance: 0.9}, "invalid tolerance 0.9: want a share between 0.01 and 0.5, such as 0.05"},
		{search.Space{Vary: search.Rate, From: 1, To: 2, Confirm: -1}, "invalid confirm -1: want 1 to 20 runs"},
		{search.Space{Vary: search.Rate, From: 1, To: 2, Most: 3}, "invalid most 3: want more runs than confirm, which is 3, and at most 200"},
	}
	for _, test := range tests {
		require.EqualError(t, test.space.Validate(), test.want)
	}
}

func FuzzParseObjective(f *testing.F) {
	for _, seed := range []string{"p99(READ) < 10ms and errors < 0.1%", "throughput >= 20k", "max <= 1h, mean < 1.5us", "p99.9(READ-MODIFY-WRITE)<1s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := search.ParseObjective(text)
		if err != nil {
			return
		}
		again, err := search.ParseObjective(o.String())
		require.NoError(t, err, "%q", o.String())
		require.Equal(t, o.String(), again.String())
		for _, term := range o.Terms() {
			require.GreaterOrEqual(t, term.Limit, 0.0)
		}
	})
}
