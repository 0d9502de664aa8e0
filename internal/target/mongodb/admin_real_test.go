//go:build databases

package mongodb_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/certs/certstest"
	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/identity"
	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/observe"
	"github.com/benchd/benchd/internal/result"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/mongodb"
	"github.com/benchd/benchd/internal/target/mongodb/action"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbtest"
	"github.com/benchd/benchd/internal/target/mongodb/watch"
	"github.com/benchd/benchd/internal/workload"
)

func TestActionsOnAServer(t *testing.T) {
	s := start(t, mongodbtest.Options{})
	a, err := action.Open(t.Context(), load.Settings{Properties: s.Properties()})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	act := func(name string, args map[string]string) load.Answer {
		t.Helper()
		answer, err := a.Act(t.Context(), load.Action{Name: name, Args: args})
		require.NoError(t, err, name)
		return answer
	}
	fails := func(name string, args map[string]string) error {
		t.Helper()
		_, err := a.Act(t.Context(), load.Action{Name: name, Args: args})
		require.Error(t, err, name)
		return err
	}
	require.ErrorContains(t, fails("count", nil), "collection ycsb.usertable: the collection does not exist")
	require.Equal(t, []string{"collection ycsb.usertable is created"}, act("create", nil).Text)
	require.ErrorContains(t, fails("create", nil), "another client created it")
	_, err = s.Eval(`db.usertable.insertMany([{_id: "a", field0: "x"}, {_id: "b"}])`)
	require.NoError(t, err)
	require.Equal(t, [][]any{{"usertable", int64(2)}}, act("count", nil).Rows)
	require.Equal(t, [][]any{{"usertable", int64(2)}}, act("tables", nil).Rows)
	require.Contains(t, act("describe", nil).Text[0], "ycsb.usertable: 2 documents of ")
	require.Contains(t, act("compact", nil).Text[0], "compacted collection ycsb.usertable on 1 server after ")
	require.Contains(t, act("wait_for_quiet", nil).Text[0], "quiet after ")
	servers := act("servers", nil).Rows
	require.Equal(t, []any{s.Address(), "", "", "standalone", "7.0.42"}, servers[0][:5])
	for _, name := range []string{"balancer", "split"} {
		err := fails(name, nil)
		require.ErrorIs(t, err, load.ErrAction)
		require.ErrorContains(t, err, name+" needs a sharded cluster, and "+s.Address()+" is a standalone")
	}
	require.ErrorContains(t, fails("flush", nil), "does not have the command fsync")
	require.ErrorContains(t, fails("drop", nil), "has documents: add --force")
	require.Equal(t, []string{"collection ycsb.usertable is dropped"}, act("drop", map[string]string{"force": "true"}).Text)
	require.ErrorIs(t, fails("nonsense", nil), load.ErrAction)
	require.ErrorIs(t, fails("count", map[string]string{"key": "x"}), load.ErrAction)

	_, err = action.Open(t.Context(), load.Settings{Properties: map[string]string{"mongodb.url": "mongodb://127.0.0.1:1/"}})
	require.ErrorIs(t, err, load.ErrNotReached)
}

// figure returns a figure of a look; ok is false if it has none.
func figure(look observe.Look, name string) (value float64, ok bool) {
	for _, g := range look.Groups {
		for _, r := range g.Readings {
			if r.Name == name {
				return r.Value, true
			}
		}
	}
	return 0, false
}

func TestTelemetryOfAServer(t *testing.T) {
	s, secrets := secured(t)
	properties := s.Properties()
	properties["mongodb.password"] = "file:mongodb"
	resolver := secret.Resolver{Folders: []string{secrets}}
	source, err := watch.Open(properties, observe.Access{Secrets: resolver})
	require.NoError(t, err)
	defer source.Close()
	first := source.Look(t.Context())
	require.Empty(t, first.Warnings)
	finds, ok := figure(first, "mongodb.server.finds")
	require.True(t, ok)
	require.Equal(t, s.Address(), first.Groups[0].Source)

	target, err := mongodb.Open(t.Context(), load.Settings{Properties: properties, Secrets: resolver, Workload: workload.Config{}})
	require.NoError(t, err)
	reader := session(t, target)
	for range 10 {
		reader.Do(t.Context(), &workload.Op{Kind: workload.Read, Key: []byte("none")})
	}
	facts, err := target.(load.Observer).Facts(t.Context())
	require.NoError(t, err)
	require.Equal(t, "FerretDB v1.24.2", facts["mongodb.product"])
	require.Equal(t, "standalone", facts["mongodb.topology"])
	later, ok := figure(source.Look(t.Context()), "mongodb.server.finds")
	require.True(t, ok)
	require.InDelta(t, 11, later-finds, 0, "ten reads, and the one that checks the user")
	require.NoError(t, target.Close())

	require.NoError(t, s.Server.Kill())
	warned := []string{}
	for range 3 {
		warned = append(warned, source.Look(t.Context()).Warnings...)
	}
	require.Len(t, warned, 1)
	require.Contains(t, warned[0], "server "+s.Address()+" does not report its status")
	require.NoError(t, s.Server.Restart(t.Context()))
	deadline := time.Now().Add(20 * time.Second)
	for {
		look := source.Look(t.Context())
		if len(look.Events) > 0 {
			require.Contains(t, result.HappeningKinds(), look.Events[0].Kind)
			require.Contains(t, look.Events[0].Text, "was started again")
			break
		}
		require.True(t, time.Now().Before(deadline), "the restart should be an event")
	}
}

func TestTLS(t *testing.T) {
	ca := certstest.NewCA(t)
	files := ca.Identify(t, identity.Agent, "server").Write(t, t.TempDir(), ca)
	s := start(t, mongodbtest.Options{CertFile: files.Cert, KeyFile: files.Key})
	credentials, err := credential.New(credential.Config{TLS: credential.TLS{CA: files.CA}})
	require.NoError(t, err)
	target, err := mongodb.Open(t.Context(), load.Settings{Properties: s.Properties(), Credential: credentials})
	require.NoError(t, err)
	facts, err := target.(load.Observer).Facts(t.Context())
	require.NoError(t, err)
	require.Equal(t, "on", facts["mongodb.tls"])
	require.NoError(t, target.Close())

	begin := time.Now()
	_, err = mongodb.Open(t.Context(), load.Settings{Properties: s.Properties()})
	require.ErrorContains(t, err, "--target-tls-ca", "an agent without the authority")
	_, err = mongodb.Open(t.Context(), load.Settings{Properties: map[string]string{"mongodb.url": "mongodb://" + s.Address() + "/ycsb"}})
	require.ErrorContains(t, err, "no MongoDB answers at "+s.Address(), "without TLS")
	require.Less(t, time.Since(begin), 20*time.Second)
}
