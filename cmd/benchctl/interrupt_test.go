package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInterruptAsksCancelsOrDetaches(t *testing.T) {
	for _, test := range []struct {
		name      string
		first     onInterrupt
		input     []input
		decisions []decision
	}{
		{"on a terminal it asks, and yes cancels", askFirst, []input{interrupted, yes}, []decision{doAsk, doCancel}},
		{"no goes on, and the next one asks again", askFirst, []input{interrupted, no, interrupted, yes}, []decision{doAsk, doContinue, doAsk, doCancel}},
		{"a second one instead of an answer detaches", askFirst, []input{interrupted, interrupted}, []decision{doAsk, doLeave}},
		{"a further one does not wait for the cancelled run", askFirst, []input{interrupted, yes, interrupted}, []decision{doAsk, doCancel, doLeave}},
		{"without a question there is no answer", askFirst, []input{yes, no}, []decision{nothing, nothing}},
		{"termination cannot be asked about", askFirst, []input{terminated}, []decision{doLeave}},
		{"without a terminal it detaches", detach, []input{interrupted}, []decision{doLeave}},
		{"termination without a terminal too", detach, []input{terminated}, []decision{doLeave}},
		{"with --cancel-on-interrupt it cancels", cancel, []input{interrupted, interrupted}, []decision{doCancel, doLeave}},
		{"with --cancel-on-interrupt termination cancels, too", cancel, []input{terminated, terminated}, []decision{doCancel, doLeave}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := interruption{first: test.first}
			var decisions []decision
			for _, s := range test.input {
				decisions = append(decisions, i.step(s))
			}
			require.Equal(t, test.decisions, decisions)
		})
	}
}
