package spec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// allActions returns the actions of all targets.
func allActions() actions { return actionsOf(reader().table.targets...) }

func TestActionsAreSortedByTime(t *testing.T) {
	list, err := allActions().parse("90s split ns:t user5; 60s major-compact ; 2m hook restart;;5m move region=abc server=rs1,16020,5; 1h compact wait=false")
	require.NoError(t, err)
	require.Equal(t, []plan.Action{
		{At: time.Minute, Name: "major_compact", Implied: map[string]string{"wait": "true"}},
		{At: 90 * time.Second, Name: "split", Args: map[string]string{"table": "ns:t", "key": "user5"}},
		{At: 2 * time.Minute, Name: "hook", Args: map[string]string{"name": "restart"}},
		{At: 5 * time.Minute, Name: "move", Args: map[string]string{"region": "abc", "server": "rs1,16020,5"}},
		{At: time.Hour, Name: "compact", Args: map[string]string{"wait": "false"}, Implied: map[string]string{"wait": "true"}},
	}, list)
	const canonical = "1m0s major_compact; 1m30s split key=user5 table=ns:t; 2m0s hook restart; 5m0s move region=abc server=rs1,16020,5; 1h0m0s compact wait=false"
	require.Equal(t, canonical, formatActions(list))
	again, err := allActions().parse(canonical)
	require.NoError(t, err)
	require.Equal(t, list, again)
	require.Equal(t, []string{"restart"}, plan.Settings{Actions: list}.Hooks())
}

func TestAMistakeInActionsIsReportedWithItsCure(t *testing.T) {
	for text, want := range map[string]string{
		"major_compact":             `invalid time "major_compact": want a duration since the start of measuring, as in 60s major_compact`,
		"-1s flush":                 `invalid time "-1s"`,
		"60s":                       `missing action after the time "60s" (one of balance, balancer, compact`,
		"1s flusch":                 `unknown action "flusch"; did you mean flush?`,
		"1s drop":                   `unknown action "drop"`,
		"1s truncate":               "truncate is not available during measuring; write it in before.run",
		"1s snapshot table=a:b:c":   `a:b:c`,
		"1s snapshot name=/x":       `invalid snapshot name "/x": want letters, digits`,
		"1s snapshot replace=no":    `invalid replace "no": want true or false`,
		"1s flush t t2":             `unexpected argument "t2" of flush; it takes table`,
		"1s flush region=5":         `unknown argument "region" of flush; it takes table`,
		"1s balance now":            `unexpected argument "now" of balance; it takes no arguments`,
		"1s split t table=u":        `duplicate argument table of split`,
		"1s move":                   `missing argument region of move`,
		"1s hook":                   `missing argument name of hook`,
		"1s hook re/start":          `invalid hook name "re/start"`,
		"1s hook -x":                `invalid hook name "-x"`,
		"1s balancer maybe":         `invalid balancer state "maybe": want balancer on or balancer off`,
		"1s major_compact wait=yes": `invalid wait "yes": want true or false`,
		"1s flush a:b:c":            `a:b:c`,

		"1s fault":                                   "fault: kind: is missing; write one of latency, stall",
		"1s fault latncy delay=5ms":                  `fault latncy: kind: unknown kind of fault "latncy"; did you mean "latency"?`,
		"1s fault latency":                           "fault latency: delay: is missing: how long do calls wait?",
		"1s fault latency dely=5ms":                  `unknown argument "dely" of fault; did you mean delay?`,
		"1s fault latency delay=5ms every=2s":        `unknown argument "every" of fault; it takes kind, start, length`,
		"1s fault latency delay=exponential":         "fault latency: delay: ",
		"1s fault latency delay=5ms op=get,scna":     `fault latency: op: unknown kind of call "scna"; did you mean "scan"?`,
		"1s fault latency delay=5ms share=120%":      "fault latency: share: invalid share 1.2",
		"1s fault latency delay=5ms length=10":       `fault latency: length: invalid duration "10": want a number with a unit`,
		"1s fault latency exponential 5ms":           `unexpected argument "exponential" of fault; it takes kind`,
		"1s fault stall delay=5ms":                   "fault stall: delay: does not apply to stall; it is for latency",
		"1s fault stall op=":                         `fault stall: op: unknown kind of call ""; known: get, put`,
		"1s fault kill-server":                       "fault kill-server: server: must name one region server",
		"1s fault restart-server server=1 length=5s": "fault restart-server: length: does not apply to restart-server",
		"1s fault kill-server server=1,2 length=5s":  "fault kill-server: server: must name one region server",
		"1s clear_faults 3":                          `unexpected argument "3" of clear_faults; it takes no arguments`,
		"1s clear_fault":                             "did you mean clear_faults?",
	} {
		_, err := allActions().parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestActionsMustFitTheirRun(t *testing.T) {
	for name, test := range map[string]struct {
		settings []string
		problem  string
	}{
		"another target":              {[]string{"actions", "1s flush"}, "target null does not support flush; it supports hook"},
		"too late":                    {[]string{"actions", "60s hook x", "duration", "1m"}, "hook at 1m0s is after the end of measuring"},
		"before, elsewhere":           {[]string{"hbase.before.run", "flush"}, "target null supports no actions between phases"},
		"before, no such":             {[]string{"hbase.before.run", "sing", "db", "hbase"}, `action "sing" is not available before a run`},
		"a hook that no agent allows": {[]string{"actions", "1s hook restart", "-", ""}, "-p: actions: no connected agent allows hook restart (they allow reset); start one with benchd agent --hook restart=COMMAND"},
		"a fault of HBase":            {[]string{"actions", "1s fault stall length=1s", "db", "hbase", "columnfamily", "f"}, "target hbase does not support fault; it supports balance, balancer, compact"},
		"faults of HBase":             {[]string{"actions", "1s clear_faults", "db", "hbase", "columnfamily", "f"}, "target hbase does not support clear_faults; it supports balance"},
		"a fault of nothing":          {[]string{"actions", "1s fault stall"}, "target null does not support fault; it supports hook"},
		"good fault":                  {[]string{"actions", "1s fault stall length=1s; 3s clear_faults; 4s flush", "db", "sandbox", "hbase.zookeeper.quorum", "127.0.0.1"}, ""},
		"good hook":                   {[]string{"actions", "59s hook x", "duration", "1m"}, ""},
		"good on the target":          {[]string{"actions", "1s flush", "hbase.before.run", "flush,wait-for-quiet", "db", "hbase", "columnfamily", "f"}, ""},
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
			_, _, err := reader().Parse(s)
			if test.problem == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.problem)
		})
	}
}

// A fault is an action with commas instead of blanks in its values; it equals the same fault in a file.
func TestAFaultIsAnAction(t *testing.T) {
	for text, want := range map[string]struct{ action, fault string }{
		"fault latency delay=exponential,5ms op=get,scan share=20% length=10s": {
			"fault latency delay=exponential,5ms length=10s op=get,scan share=20%", "latency length 10s share 0.2 op get,scan delay exponential 5ms",
		},
		"fault length=20s kill-server server=2":               {"fault kill-server length=20s server=2", "kill-server length 20s server 2"},
		"fault kind=add-server start=5s":                      {"fault add-server start=5s", "add-server start 5s"},
		"fault stall table=t,ns:u region=a,b seed=7":          {"fault stall region=a,b seed=7 table=t,ns:u", "stall seed 7 table t,ns:u region a,b"},
		`fault region-too-busy from=user5,\x20 to=user6`:      {`fault region-too-busy from=user5,\x20 to=user6`, "region-too-busy from user5,  to user6"},
		"fault stall server=2,127.0.0.1:16020,rs1,16020,1700": {"fault stall server=2,127.0.0.1:16020,rs1,16020,1700", "stall server 2,127.0.0.1:16020,rs1,16020,1700"},
		"fault io-exception exception=java.io.EOFException":   {"fault io-exception exception=java.io.EOFException", "io-exception exception java.io.EOFException"},
	} {
		list, err := allActions().parse("10s " + text)
		require.NoError(t, err, text)
		require.Equal(t, "10s "+want.action, formatActions(list))
		f, err := hbasespec.Fault(list[0].Args)
		require.NoError(t, err)
		require.Equal(t, want.fault, f.String())
		again, err := allActions().parse(formatActions(list))
		require.NoError(t, err)
		require.Equal(t, list, again)
	}
	list, err := allActions().parse("50s clear-faults")
	require.NoError(t, err)
	require.Equal(t, []plan.Action{{At: 50 * time.Second, Name: plan.ClearFaults}}, list)
}

// FuzzActions checks that formatted actions parse to the same actions.
func FuzzActions(f *testing.F) {
	f.Add("60s major_compact; 90s split usertable user5; 2m hook restart")
	f.Add("1h move region=a server=b;; 0s balancer off")
	f.Add("10s fault kill-server server=2 length=20s; 30s fault latency delay=exponential,5ms op=get,scan share=20% length=10s; 50s clear-faults")
	f.Add(`1s fault region-too-busy from=\x00 to=b kind=stall; 2s fault kind=stall server=a,1,2,3,[::1]:4 table=,`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := allActions().parse(text)
		if err != nil {
			return
		}
		again, err := allActions().parse(formatActions(list))
		require.NoError(t, err)
		require.Equal(t, list, again)
	})
}
