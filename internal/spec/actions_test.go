package spec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
)

func TestActionsAreReadInTheOrderOfTheirTimes(t *testing.T) {
	list, err := ParseActions("90s split ns:t user5; 60s major-compact ; 2m hook restart;;5m move region=abc server=rs1,16020,5; 1h compact wait=false")
	require.NoError(t, err)
	require.Equal(t, []plan.Action{
		{At: time.Minute, Name: "major_compact"},
		{At: 90 * time.Second, Name: "split", Args: map[string]string{"table": "ns:t", "key": "user5"}},
		{At: 2 * time.Minute, Name: "hook", Args: map[string]string{"name": "restart"}},
		{At: 5 * time.Minute, Name: "move", Args: map[string]string{"region": "abc", "server": "rs1,16020,5"}},
		{At: time.Hour, Name: "compact", Args: map[string]string{"wait": "false"}},
	}, list)
	const canonical = "1m0s major_compact; 1m30s split key=user5 table=ns:t; 2m0s hook restart; 5m0s move region=abc server=rs1,16020,5; 1h0m0s compact wait=false"
	require.Equal(t, canonical, FormatActions(list))
	again, err := ParseActions(canonical)
	require.NoError(t, err)
	require.Equal(t, list, again)
	require.Equal(t, []string{"restart"}, plan.Settings{Actions: list}.Hooks())
}

func TestAMistakeInActionsIsToldWithItsCure(t *testing.T) {
	for text, want := range map[string]string{
		"major_compact":             `"major_compact" is no time from the begin of measuring on; write such as 60s major_compact`,
		"-1s flush":                 `"-1s" is no time`,
		"60s":                       `"60s" is a time without an action; there is balance, balancer, compact`,
		"1s flusch":                 `"flusch" is nothing that can be done to a target; did you mean flush?`,
		"1s truncate":               `"truncate" is nothing that can be done to a target`,
		"1s flush t t2":             `flush takes no more than table; "t2" is too much`,
		"1s flush region=5":         `flush takes no "region"; it takes table`,
		"1s balance now":            `balance takes no more than nothing; "now" is too much`,
		"1s split t table=u":        `split has its table twice`,
		"1s move":                   `move needs a region`,
		"1s hook":                   `hook needs a name`,
		"1s hook re/start":          `"re/start" is no name for a hook`,
		"1s hook -x":                `"-x" is no name for a hook`,
		"1s balancer maybe":         `the balancer is switched on or off, not "maybe"`,
		"1s major_compact wait=yes": `wait is true or false, not "yes"`,
		"1s flush a:b:c":            `a:b:c`,
	} {
		_, err := ParseActions(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestActionsMustFitTheirRun(t *testing.T) {
	for name, test := range map[string]struct {
		settings []string
		problem  string
	}{
		"another target":            {[]string{"actions", "1s flush"}, "target null cannot flush; it takes hook"},
		"too late":                  {[]string{"actions", "60s hook x", "duration", "1m"}, "hook at 1m0s comes after the end of measuring"},
		"before, elsewhere":         {[]string{"hbase.before.run", "flush"}, "target null takes no actions"},
		"before, no such":           {[]string{"hbase.before.run", "sing", "db", "hbase"}, `"sing" is nothing that can be done before a run`},
		"a hook that nobody allows": {[]string{"actions", "1s hook restart", "-", ""}, "-p: actions: no agent that is connected allows hook restart (they allow reset); start one with benchd agent --hook restart=COMMAND"},
		"good hook":                 {[]string{"actions", "59s hook x", "duration", "1m"}, ""},
		"good on the target":        {[]string{"actions", "1s flush", "hbase.before.run", "flush,wait-for-quiet", "db", "hbase", "columnfamily", "f"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Submission{Properties: []Setting{{Key: "recordcount", Value: "10"}, {Key: "operationcount", Value: "10"}}}
			for i := 0; i < len(test.settings); i += 2 {
				if test.settings[i] == "-" {
					s.Hooks = []string{"reset"}
					continue
				}
				s.Properties = append(s.Properties, Setting{Key: test.settings[i], Value: test.settings[i+1]})
			}
			_, _, err := Parse(s)
			if test.problem == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.problem)
		})
	}
}

// What is written as it was read must read the same, whatever it was.
func FuzzActions(f *testing.F) {
	f.Add("60s major_compact; 90s split usertable user5; 2m hook restart")
	f.Add("1h move region=a server=b;; 0s balancer off")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseActions(text)
		if err != nil {
			return
		}
		again, err := ParseActions(FormatActions(list))
		require.NoError(t, err)
		require.Equal(t, list, again)
	})
}
