package access

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

func TestEachRuleStandsOnce(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range append(Calls(), Paths()...) {
		require.False(t, seen[r.Name], r.Name)
		seen[r.Name] = true
		require.NotEmpty(t, r.Roles, r.Name)
		require.NotEmpty(t, r.Doc, r.Name)
	}
}

// What each role may do, written out once more by hand: a change of the table must be meant.
func TestRolesAndCalls(t *testing.T) {
	read := []string{"Schedules", "Validate", "Advise", "Watch", "Get", "Histograms", "Chart", "Points", "List", "Submission", "Export", "Agents", "About", "Webhooks", "OpenConsole"}
	write := []string{"Submit", "Schedule", "ChangeSchedule", "Annotate", "Cancel", "Remove", "Import", "Upload", "Drain", "Act"}
	allowed := map[identity.Role][]string{
		identity.Viewer:      slices.Concat(read, []string{"Enroll"}),
		identity.Operator:    slices.Concat(read, write, []string{"Enroll"}),
		identity.Admin:       slices.Concat(read, write, []string{"Enroll", "Audit", "TestWebhook"}),
		identity.Agent:       {"Session", "Trace", "Renew", "Enroll", "About"},
		identity.Coordinator: {"Enroll"},
		identity.Anonymous:   {"Enroll"},
		"":                   nil,
		"root":               nil,
	}
	for role, calls := range allowed {
		for _, r := range Calls() {
			_, name, ok := cutLast(r.Name)
			require.True(t, ok)
			err := Call(identity.Identity{Role: role, Name: "x"}, r.Name)
			require.Equal(t, slices.Contains(calls, name), err == nil, "%s %s: %v", role, name, err)
			require.NoError(t, Call(identity.Identity{Role: identity.Trusted}, r.Name))
		}
	}
}

func TestOnlyTheOwnerAndAdminsChangeWhatIsOwned(t *testing.T) {
	ann := identity.Identity{Role: identity.Operator, Name: "ann", Serial: "1"}
	renewed := ann
	renewed.Serial = "2"
	for _, who := range []identity.Identity{ann, renewed, {Role: identity.Admin, Name: "eve"}, {Role: identity.Trusted}} {
		require.NoError(t, Owned(who, ann, "the schedule nightly"), who)
	}
	for _, who := range []identity.Identity{{Role: identity.Operator, Name: "bob"}, {Role: identity.Viewer, Name: "ann"}, {Role: identity.Anonymous}, {}} {
		require.Error(t, Owned(who, ann, "the schedule nightly"), who)
		require.Error(t, Owned(who, identity.Identity{Role: identity.Trusted}, "the schedule nightly"), "nobody is the owner")
	}
	err := Owned(identity.Identity{Role: identity.Operator, Name: "bob"}, ann, "the schedule nightly")
	require.EqualError(t, err, "bob (operator) may not change the schedule nightly of ann (operator): ask its owner, or an admin")
}

func cutLast(name string) (service, call string, ok bool) {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[:i], name[i+1:], true
		}
	}
	return "", "", false
}

func TestWhatIsNotListedIsRefused(t *testing.T) {
	for _, role := range append(identity.Roles(), identity.Anonymous, identity.Trusted) {
		who := identity.Identity{Role: role, Name: "x"}
		require.Error(t, Call(who, "/benchd.v1.RunService/New"), role)
		require.Error(t, Call(who, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"), role)
		if role != identity.Trusted {
			require.Error(t, Path(who, "/new"), role)
			require.Error(t, Path(who, "/metrics/"), role)
		}
	}
}

func TestPaths(t *testing.T) {
	viewer := identity.Identity{Role: identity.Viewer, Name: "prometheus"}
	require.NoError(t, Path(viewer, "/metrics"))
	require.NoError(t, Path(viewer, "/"))
	require.ErrorContains(t, Path(viewer, "/debug/pprof/heap"), "prometheus (viewer) may not profile the process: use a certificate with the role admin")
	require.Error(t, Path(identity.Identity{}, "/healthz"), "nobody has set an identity")
	require.NoError(t, Path(identity.Identity{Role: identity.Anonymous}, "/healthz"))
	require.ErrorContains(t, Path(identity.Identity{Role: identity.Anonymous}, "/metrics"), "a peer without a certificate may not read metrics: use a certificate with the role viewer, operator or admin")
	require.Error(t, Path(identity.Identity{Role: identity.Agent, Name: "a"}, "/sd/agents"))
}

func TestPrivilegesNeedAdminOrAGrant(t *testing.T) {
	needs := []Need{{identity.Drop, "benchd_a"}, {identity.Hook, "restart"}}
	require.NoError(t, Privileged(identity.Identity{Role: identity.Admin, Name: "root"}, needs))
	require.NoError(t, Privileged(identity.Identity{Role: identity.Operator, Name: "anna", Grants: []identity.Grant{
		{Privilege: identity.Drop, Pattern: "benchd_*"}, {Privilege: identity.Hook, Pattern: "restart"},
	}}, needs))
	err := Privileged(identity.Identity{Role: identity.Operator, Name: "anna", Grants: []identity.Grant{{Privilege: identity.Drop, Pattern: "benchd_*"}}}, needs)
	require.EqualError(t, err, "anna (operator) may not run the hook restart: ask an admin, or for a certificate with the grant hook:restart (benchd pki issue --grant)")
	require.ErrorContains(t, Privileged(identity.Identity{Role: identity.Operator, Name: "anna"}, needs), "drop, empty or recreate the table benchd_a")
}
