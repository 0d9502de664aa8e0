package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInterruptAsksCancelsOrDetaches(t *testing.T) {
	for _, test := range []struct {
		name  string
		first onInterrupt
		said  []said
		deeds []deed
	}{
		{"on a terminal it asks, and yes cancels", askFirst, []said{interrupted, yes}, []deed{doAsk, doCancel}},
		{"no goes on, and the next one asks again", askFirst, []said{interrupted, no, interrupted, yes}, []deed{doAsk, doResume, doAsk, doCancel}},
		{"a second one instead of an answer detaches", askFirst, []said{interrupted, interrupted}, []deed{doAsk, doLeave}},
		{"a further one does not wait for the cancelled run", askFirst, []said{interrupted, yes, interrupted}, []deed{doAsk, doCancel, doLeave}},
		{"without a question there is no answer", askFirst, []said{yes, no}, []deed{nothing, nothing}},
		{"termination cannot be asked about", askFirst, []said{terminated}, []deed{doLeave}},
		{"without a terminal it detaches", detach, []said{interrupted}, []deed{doLeave}},
		{"termination without a terminal too", detach, []said{terminated}, []deed{doLeave}},
		{"told to cancel, it does", cancel, []said{interrupted, interrupted}, []deed{doCancel, doLeave}},
		{"told to cancel, termination does too", cancel, []said{terminated, terminated}, []deed{doCancel, doLeave}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := interruption{first: test.first}
			var deeds []deed
			for _, s := range test.said {
				deeds = append(deeds, i.step(s))
			}
			require.Equal(t, test.deeds, deeds)
		})
	}
}
