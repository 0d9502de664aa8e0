package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/advice"
	"github.com/benchd/benchd/internal/audit"
	"github.com/benchd/benchd/internal/cli"
	"github.com/benchd/benchd/internal/compare"
	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/doctor"
	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/remote"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/sandbox/control"
	"github.com/benchd/benchd/internal/sandbox/fault"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/search"
	"github.com/benchd/benchd/internal/target/all"
	"github.com/benchd/benchd/internal/trend"
	"github.com/benchd/benchd/internal/webhook"
)

// jsonDocument is the document that describes all JSON that benchctl prints.
const jsonDocument = "docs/json.md"

// printed are the types that commands print with -o json. A command stands for those below it.
func printed() map[string][]reflect.Type {
	results := []reflect.Type{reflect.TypeFor[result.Run](), reflect.TypeFor[result.Suite]()}
	return map[string][]reflect.Type{
		"benchctl run":                results,
		"benchctl submit":             results,
		"benchctl show":               results,
		"benchctl submit --dry-run":   {reflect.TypeFor[advice.Outline]()},
		"benchctl compare":            {reflect.TypeFor[compare.Comparison](), reflect.TypeFor[[]compare.Comparison]()},
		"benchctl trend":              {reflect.TypeFor[trend.Trend]()},
		"benchctl schedule":           {reflect.TypeFor[[]schedule.Summary]()},
		"benchctl schedule show":      {reflect.TypeFor[schedule.Document]()},
		"benchctl list":               {reflect.TypeFor[[]remote.Suite]()},
		"benchctl agents":             {reflect.TypeFor[[]remote.Agent]()},
		"benchctl audit":              {reflect.TypeFor[[]audit.Record]()},
		"benchctl webhooks":           {reflect.TypeFor[webhooksDocument]()},
		"benchctl profiles":           {reflect.TypeFor[[]profileDocument]()},
		"benchctl doctor":             {reflect.TypeFor[doctor.Report]()},
		"benchctl admin":              {reflect.TypeFor[answerDocument]()},
		"benchctl sandbox servers":    {reflect.TypeFor[control.Status]()},
		"benchctl sandbox fault list": {reflect.TypeFor[[]fault.Status]()},
	}
}

// jsonNames are the names of types in the document whose own name is not clear there.
func jsonNames() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[remote.Suite]():      "SuiteSummary",
		reflect.TypeFor[remote.Agent]():      "AgentSummary",
		reflect.TypeFor[audit.Record]():      "AuditRecord",
		reflect.TypeFor[doctor.Report]():     "Diagnosis",
		reflect.TypeFor[answerDocument]():    "Answer",
		reflect.TypeFor[profileDocument]():   "Profile",
		reflect.TypeFor[control.Status]():    "Sandbox",
		reflect.TypeFor[fault.Status]():      "FaultStatus",
		reflect.TypeFor[plan.Table]():        "PlannedTable",
		reflect.TypeFor[search.Space]():      "Search",
		reflect.TypeFor[compare.Case]():      "ComparedCase",
		reflect.TypeFor[advice.Outline]():    "Outline",
		reflect.TypeFor[advice.OfCase]():     "CaseAdvice",
		reflect.TypeFor[advice.Duration]():   "RunTime",
		reflect.TypeFor[advice.Repeats]():    "NeededRepeats",
		reflect.TypeFor[advice.Rate]():       "OfferedRate",
		reflect.TypeFor[compare.Figure]():    "ComparedFigure",
		reflect.TypeFor[schedule.Summary]():  "ScheduleSummary",
		reflect.TypeFor[schedule.Document](): "Schedule",
		reflect.TypeFor[schedule.Outcome]():  "DueTime",
		reflect.TypeFor[schedule.Alert]():    "Alert",
		reflect.TypeFor[webhooksDocument]():  "Webhooks",
		reflect.TypeFor[webhook.Status]():    "Webhook",
		reflect.TypeFor[webhook.Last]():      "LastDelivery",
		reflect.TypeFor[notice.Suite]():      "NoticeSuite",
		reflect.TypeFor[notice.Run]():        "NoticeRun",
		reflect.TypeFor[notice.Case]():       "NoticeCase",
		reflect.TypeFor[notice.Figure]():     "NoticeFigure",
		reflect.TypeFor[notice.Limit]():      "NoticeLimit",
		reflect.TypeFor[trend.Alert]():       "NoticeChange",
		reflect.TypeFor[trend.Entry]():       "TrendSuite",
		reflect.TypeFor[trend.Case]():        "TrendCase",
		reflect.TypeFor[trend.Figure]():      "TrendFigure",
		reflect.TypeFor[trend.Point]():       "TrendPoint",
		reflect.TypeFor[trend.Change]():      "TrendChange",
	}
}

// jsonTexts are what types become that make their JSON themselves.
func jsonTexts() map[reflect.Type]string {
	return map[reflect.Type]string{
		reflect.TypeFor[*time.Time]():       "time or null",
		reflect.TypeFor[result.Cell]():      "number, string or null",
		reflect.TypeFor[*fault.Fault]():     "object",
		reflect.TypeFor[search.Objective](): "string",
	}
}

func jsonObjects() []doctable.Object {
	var roots []reflect.Type
	for _, command := range slices.Sorted(maps.Keys(printed())) {
		roots = append(roots, printed()[command]...)
	}
	roots = append(roots, reflect.TypeFor[notice.Notice]()) // the coordinator sends it
	return doctable.Objects(jsonNames(), jsonTexts(), roots...)
}

func TestEveryFieldOfJSONIsDocumented(t *testing.T) {
	for _, flaw := range doctable.Undescribed(doctable.Read(t, jsonDocument), jsonObjects()) {
		t.Error(flaw)
	}
}

// Each command with -o json is in the document's first table, with what it prints.
func TestEveryCommandWithJSONIsDocumented(t *testing.T) {
	var want [][]string
	for command, types := range printed() {
		var names []string
		for _, one := range types {
			name, text := one, ""
			if one.Kind() == reflect.Slice {
				name, text = one.Elem(), "array of "
			}
			names = append(names, text+nameOf(name))
		}
		want = append(want, []string{"`" + command + "`", strings.Join(names, " or ")})
	}
	var documented [][]string
	for _, row := range doctable.Tables(doctable.Read(t, jsonDocument))[0].Rows {
		documented = append(documented, []string{row[0], doctable.Unlinked(row[1])})
	}
	require.ElementsMatch(t, want, documented)

	used := map[string]bool{"benchctl submit --dry-run": true}
	walkCommands(program(all.Targets()).Tree(cli.Streams{}), func(cmd *cobra.Command) {
		output := cmd.Flag("output")
		if !cmd.Runnable() || output == nil || !strings.Contains(output.Value.Type(), "json") {
			return
		}
		by := ""
		for command := range printed() {
			if len(command) > len(by) && (cmd.CommandPath() == command || strings.HasPrefix(cmd.CommandPath(), command+" ")) {
				by = command
			}
		}
		require.NotEmpty(t, by, "%s has -o json: add what it prints to the list in this test, and describe it in %s", cmd.CommandPath(), jsonDocument)
		used[by] = true
	})
	for command := range printed() {
		require.True(t, used[command], "%s has no -o json", command)
	}
}

func nameOf(t reflect.Type) string {
	if name, ok := jsonNames()[t]; ok {
		return name
	}
	return t.Name()
}

func walkCommands(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		walkCommands(sub, visit)
	}
}

// requireDocumented checks that what a command has printed is JSON of a type that printed has for it, without any other field.
func requireDocumented(command, text string) error {
	types := printed()[command]
	if len(types) == 0 {
		return fmt.Errorf("no JSON of %s is known", command)
	}
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal([]byte(text), &kind); err == nil && kind.Kind == "suite" {
		types = types[1:]
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(reflect.New(types[0]).Interface()); err != nil {
		return fmt.Errorf("%s prints JSON that %s does not describe: %w", command, jsonDocument, err)
	}
	return nil
}
