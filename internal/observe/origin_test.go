package observe

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/doctable"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/secret"
)

var update = flag.Bool("update", false, "write the table of sources in docs/telemetry.md")

// The documentation lists the origins that the code has.
func TestOriginsAreDocumented(t *testing.T) {
	table := doctable.Table{Head: []string{"Source", "Figures", "Meaning"}}
	for _, o := range Origins() {
		figures := ""
		if o.Figures != "" {
			figures = "`" + o.Figures + "*`"
		}
		table.Rows = append(table.Rows, []string{"`" + o.Name + "`", figures, o.Meaning})
	}
	doctable.Generated(t, "docs/telemetry.md", "sources", table, *update)
}

// still is a source of a target.
type still struct{}

func (still) Look(context.Context) Look { return Look{} }
func (still) Close()                    {}

// An agent watches what it was ordered to. The target comes first: the duration of the first source's reads is reported as
// the target's.
func TestAnAgentWatchesWhatItWasOrderedTo(t *testing.T) {
	settings := plan.Settings{Telemetry: plan.Telemetry{
		Interval: time.Second, Endpoints: []plan.Endpoint{{Name: "n", URL: "http://n:9100/metrics"}},
	}}
	opens := func(map[string]string, Access) (Source, error) { return still{}, nil }
	all, err := Open(Watch{Agent: "a", Settings: settings, Target: true, Open: opens, HostEvery: 3 * time.Second})
	require.NoError(t, err)
	require.Len(t, all, len(Origins()))
	require.Equal(t, Watched{Every: time.Second, Source: still{}}, all[0])
	require.IsType(t, &Prometheus{}, all[1].Source)
	require.IsType(t, &Host{}, all[2].Source)
	require.Equal(t, 3*time.Second, all[2].Every)

	all, err = Open(Watch{Agent: "a", Settings: settings, Open: opens, HostEvery: time.Second})
	require.NoError(t, err)
	require.Len(t, all, 1, "another agent watches the target")
	require.IsType(t, &Host{}, all[0].Source)

	_, err = Open(Watch{
		Settings: settings, Target: true, Properties: map[string]string{"db.password": "env:BENCHD_SECRET_DB", "db.key": "file:key"},
		Secrets: secret.Resolver{Variables: map[string]secret.Value{"BENCHD_SECRET_DB": secret.NewValue("canary")}},
		Open: func(properties map[string]string, with Access) (Source, error) {
			read, err := with.Secret(properties, "db.password")
			require.NoError(t, err)
			require.Equal(t, "canary", read.Reveal())
			_, err = with.Secret(properties, "db.key")
			require.ErrorContains(t, err, "db.key: resolve file:key")
			read, err = with.Secret(properties, "db.unset")
			require.Empty(t, read.Reveal())
			return still{}, err
		},
	})
	require.NoError(t, err, "the target reads the secrets of its properties")

	broken := errors.New("no quorum")
	all, err = Open(Watch{Agent: "a", Settings: settings, Target: true, Open: func(map[string]string, Access) (Source, error) { return nil, broken }})
	require.ErrorIs(t, err, broken)
	require.Len(t, all, 1, "the endpoint is watched all the same")
}
