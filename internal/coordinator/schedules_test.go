package coordinator_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/test/bufconn"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/coordinator"
	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/schedule"
	"github.com/benchd/benchd/internal/wire"
)

// revocations is a list of revoked certificates.
type revocations struct {
	mu      sync.Mutex
	entries []string
}

func (*revocations) Expires() time.Time     { return time.Time{} }
func (*revocations) OnRevoked(func(string)) {}

func (r *revocations) Revoked(who identity.Identity) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(who.Entries(), func(entry string) bool { return slices.Contains(r.entries, entry) })
}

func (r *revocations) revoke(cert tls.Certificate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, identity.Serial(cert.Leaf))
}

// owned is a coordinator that asks people for certificates, and trusts its agents.
type owned struct {
	*harness
	*revocations
	ca     *certstest.CA
	secure *bufconn.Listener
}

func newOwned(t *testing.T) *owned {
	t.Helper()
	o := &owned{revocations: &revocations{}, ca: certstest.NewCA(t), secure: bufconn.Listen(1 << 20)}
	o.harness = &harness{t: t, dir: t.TempDir(), grace: 30 * time.Second, revokes: o.revocations}
	o.open()
	t.Cleanup(func() { o.close() })
	creds := credentials.NewTLS(o.ca.Identify(t, identity.Coordinator, "c").Store(t, o.ca).ServerConfig())
	server := grpc.NewServer(append(coordinator.ServerOptions(), grpc.Creds(creds))...)
	o.c.Register(server)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(o.secure) })
	t.Cleanup(func() { server.Stop(); serving.Wait() })
	newFakeAgent(o.harness, "a").connect()
	return o
}

// as returns a client with a certificate.
func (o *owned) as(cert certstest.Pair) benchdv1.RunServiceClient {
	conn, err := grpc.NewClient("passthrough:///127.0.0.1",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return o.secure.DialContext(ctx) }),
		grpc.WithTransportCredentials(credentials.NewTLS(certstest.Client(o.t, o.ca, cert.TLS, identity.Coordinator))))
	require.NoError(o.t, err)
	o.t.Cleanup(func() { _ = conn.Close() })
	return benchdv1.NewRunServiceClient(conn)
}

// hourly recreates its table, for which a privilege is needed.
const hourly = `
suite: hourly
properties: {db: hbase, hbase.zookeeper.quorum: zk, columnfamily: f, recordcount: 100, operationcount: 20, hbase.table.create: recreate, table: mine}
schedule: {every: 1h}
scenarios: [{name: reads}]
`

func scheduleRequest(replace bool) *benchdv1.ScheduleRequest {
	submission := &benchdv1.Submission{Suite: &benchdv1.SourceFile{Name: "s.yaml", Content: []byte(hourly)}}
	return &benchdv1.ScheduleRequest{Submit: &benchdv1.SubmitRequest{Submission: submission, WaitAgents: wait()}, Replace: replace}
}

// shown returns the schedule.
func (o *owned) shown() (d schedule.Document) {
	resp, err := o.runs.Schedules(o.t.Context(), &benchdv1.SchedulesRequest{Name: "hourly"})
	require.NoError(o.t, err)
	require.NoError(o.t, json.Unmarshal(resp.GetSchedules(), &d))
	return d
}

// ann returns another certificate of the owner, with grants.
func (o *owned) ann(until time.Duration, grants ...identity.Grant) certstest.Pair {
	return o.ca.Issue(o.t, certstest.Leaf{Identity: identity.Identity{Role: identity.Operator, Name: "ann", Grants: grants}, Until: time.Now().Add(until)})
}

// A suite is refused when it is due if its owner could not submit it then. The owner has scheduled it with the grant to recreate the table.
func TestADueSuiteHasTheRightsThatItsOwnerHasNow(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	drop := identity.Grant{Privilege: identity.Drop, Pattern: "mine"}
	for name, c := range map[string]struct {
		happens func(o *owned, first certstest.Pair)
		refused []string // parts of the reason; nil for a suite that is submitted
	}{
		"nothing happens":            {happens: func(*owned, certstest.Pair) {}},
		"the certificate is revoked": {func(o *owned, first certstest.Pair) { o.revoke(first.TLS) }, []string{"the certificate of its owner ann (operator) has been revoked", "--replace"}},
		"the certificate expires":    {func(*owned, certstest.Pair) { <-time.After(2 * day) }, []string{"the certificate of its owner ann (operator) expired at 2000-01-02 00:00:00", "`benchctl schedule`"}},
		"the owner has a new certificate": {happens: func(o *owned, first certstest.Pair) {
			o.revoke(first.TLS)
			o.uses(o.ann(3*day, drop))
		}},
		"the new certificate has fewer grants": {
			func(o *owned, _ certstest.Pair) { o.uses(o.ann(3 * day)) },
			[]string{"ann (operator) may not drop, empty or recreate the table mine", "a certificate with the grant drop:mine"},
		},
		"another operator has them": {
			func(o *owned, first certstest.Pair) {
				o.revoke(first.TLS)
				o.uses(o.ca.Identify(o.t, identity.Operator, "bob", drop))
			},
			[]string{"ann (operator) has been revoked"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := newOwned(t)
				first := o.ann(day, drop)
				_, err := o.as(first).Schedule(t.Context(), scheduleRequest(false))
				require.NoError(t, err)
				require.Equal(t, "ann", o.shown().Owner)
				c.happens(o, first)
				<-time.After(90 * time.Minute)
				synctest.Wait()
				last := o.shown().Last
				require.NotNil(t, last)
				if c.refused == nil {
					require.Equal(t, schedule.Submitted, last.Kind, last.Reason)
					return
				}
				require.Equal(t, schedule.Failed, last.Kind)
				for _, part := range c.refused {
					require.Contains(t, last.Reason, part)
				}
				require.True(t, o.logged("suite of a schedule is refused"))
			})
		})
	}
}

// uses makes a call with a certificate.
func (o *owned) uses(cert certstest.Pair) {
	_, err := o.as(cert).List(o.t.Context(), &benchdv1.ListRequest{})
	require.NoError(o.t, err)
	synctest.Wait()
}

// A schedule from before the coordinator asked for certificates has no owner whose rights could be checked.
func TestADueSuiteOfNobodyIsRefusedWithTLS(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwned(t)
		_, err := o.runs.Schedule(t.Context(), scheduleRequest(false))
		require.NoError(t, err)
		<-time.After(90 * time.Minute)
		synctest.Wait()
		require.Contains(t, o.shown().Last.Reason, "it was submitted before this coordinator asked for certificates")
	})
}

func TestOnlyTheOwnerAndAdminsChangeASchedule(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOwned(t)
		drop := identity.Grant{Privilege: identity.Drop, Pattern: "*"}
		_, err := o.as(o.ann(time.Hour, drop)).Schedule(t.Context(), scheduleRequest(false))
		require.NoError(t, err)
		changes := []benchdv1.ScheduleChange{
			benchdv1.ScheduleChange_SCHEDULE_CHANGE_PAUSE, benchdv1.ScheduleChange_SCHEDULE_CHANGE_RESUME,
			benchdv1.ScheduleChange_SCHEDULE_CHANGE_RUN, benchdv1.ScheduleChange_SCHEDULE_CHANGE_DELETE,
		}
		before := o.shown()
		for _, other := range []certstest.Pair{o.ca.Identify(t, identity.Operator, "bob", drop), o.ca.Identify(t, identity.Viewer, "ann")} {
			client := o.as(other)
			for _, change := range changes {
				_, err := client.ChangeSchedule(t.Context(), &benchdv1.ChangeScheduleRequest{Name: "hourly", Change: change, By: "ann"})
				require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotAllowed, change)
				_, err = client.Schedule(t.Context(), scheduleRequest(true))
				require.ErrorIs(t, wire.FromStatus(err), wire.ErrNotAllowed, change)
			}
			require.Equal(t, before, o.shown())
		}
		_, err = o.as(o.ca.Identify(t, identity.Operator, "bob")).ChangeSchedule(t.Context(), &benchdv1.ChangeScheduleRequest{Name: "hourly", Change: changes[0]})
		require.ErrorContains(t, err, "bob (operator) may not change the schedule hourly of ann (operator): ask its owner, or an admin")
		for _, owner := range []certstest.Pair{o.ann(time.Hour, drop), o.ca.Identify(t, identity.Admin, "eve")} {
			client := o.as(owner)
			for _, change := range changes {
				_, err := client.ChangeSchedule(t.Context(), &benchdv1.ChangeScheduleRequest{Name: "hourly", Change: change})
				require.NoError(t, err, change)
				if change == changes[0] {
					require.True(t, o.shown().Paused)
				}
			}
			list, err := client.List(t.Context(), &benchdv1.ListRequest{})
			require.NoError(t, err)
			_, err = o.runs.Cancel(t.Context(), &benchdv1.CancelRequest{Id: list.GetSuites()[0].GetId()})
			require.NoError(t, err)
			synctest.Wait()
			_, err = o.as(o.ann(time.Hour, drop)).Schedule(t.Context(), scheduleRequest(false))
			require.NoError(t, err)
		}
		require.Equal(t, "ann", o.shown().Owner)
	})
}
