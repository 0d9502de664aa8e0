package descriptor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
)

func TestAnActionIsFoundWithValidArguments(t *testing.T) {
	force := descriptor.Flag{Name: "force", Argument: "force", Switch: true}
	target := descriptor.Target{Name: "map", Actions: []descriptor.Action{
		{Name: "count"},
		{Name: "drop", Takes: []string{"table"}, Named: []string{"force"}, Verb: descriptor.Verb{Flags: []descriptor.Flag{force}}},
		{Name: "auto_sort", Takes: []string{"state"}, Verb: descriptor.Verb{Required: true, Choices: []string{"on", "off"}}},
	}}
	given := map[string]string{"table": "t", "force": "true"}
	action, args, err := target.FindAction("drop", given)
	require.NoError(t, err)
	require.Equal(t, given, args)
	args["table"] = "other"
	require.Equal(t, "t", given["table"], "the arguments are a copy")
	require.True(t, action.Has("table") && action.Has("force"))
	require.False(t, action.Has("state"))
	_, args, err = target.FindAction("drop", nil)
	require.NoError(t, err)
	require.NotNil(t, args)

	for want, test := range map[string]struct {
		name string
		args map[string]string
	}{
		`invalid action "dorp" for target map: want one of count, drop, auto_sort`: {"dorp", nil},
		"count: unknown argument force: it has none":                               {"count", given},
		"drop: unknown argument state: want table, force":                          {"drop", map[string]string{"state": "on"}},
		`drop: invalid force "yes": want true or false`:                            {"drop", map[string]string{"force": "yes"}},
		"auto_sort: missing argument state":                                        {"auto_sort", nil},
		`auto_sort: invalid auto-sort state "maybe": want on or off`:               {"auto_sort", map[string]string{"state": "maybe"}},
	} {
		_, _, err := target.FindAction(test.name, test.args)
		require.EqualError(t, err, want)
	}
}
