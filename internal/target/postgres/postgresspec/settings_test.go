package postgresspec

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/spec"
)

// submission is a case on PostgreSQL with settings of -p.
func submission(pairs ...string) spec.Submission {
	var settings []spec.Setting
	for i := 0; i < len(pairs); i += 2 {
		settings = append(settings, spec.Setting{Key: pairs[i], Value: pairs[i+1]})
	}
	for _, one := range [][2]string{{"db", "postgres"}, {"recordcount", "10"}, {"operationcount", "10"}} {
		settings = append(settings, spec.Setting{Key: one[0], Value: one[1]})
	}
	return spec.Submission{Properties: settings}
}

// parse returns the settings of the only case of a submission, and its warnings.
func parse(t *testing.T, pairs ...string) (s Settings, warnings string, err error) {
	t.Helper()
	suite, all, err := spec.NewReader(Target()).Parse(submission(pairs...))
	if err != nil {
		return Settings{}, "", err
	}
	var texts []string
	for _, w := range all {
		texts = append(texts, w.String())
	}
	s, err = Read(suite.Cases[0].Properties)
	return s, strings.Join(texts, "\n"), err
}

func TestEveryHonouredKeyReachesItsSettings(t *testing.T) {
	values := map[string]string{
		hostKey: "db1:5433", urlKey: "jdbc:postgresql://db2/other?sslmode=verify-full", timeoutKey: "70", fillFactorKey: "70", createKey: "recreate",
	}
	for _, k := range keys() {
		if k.Status != "" || k.Kind == property.Secret || k.Name == autoCommitKey || k.Name == batchingKey {
			continue // the driver resolves secrets; the others have one value
		}
		t.Run(k.Name, func(t *testing.T) {
			value := values[k.Name]
			switch {
			case value != "":
			case k.Kind == property.Bool:
				value = strconv.FormatBool(k.Default != "true")
			case len(k.Values) > 0:
				value = k.Values[len(k.Values)-1]
			default:
				value = "other"
			}
			before, err := Read(nil)
			require.NoError(t, err)
			after, err := Read(map[string]string{k.Name: value})
			require.NoError(t, err)
			require.NotEqual(t, before, after)
		})
	}
}

func TestSettings(t *testing.T) {
	s, err := Read(nil)
	require.NoError(t, err)
	require.Equal(t, Settings{
		Address: "127.0.0.1:5432", Host: "127.0.0.1", Database: "postgres", User: "postgres", SSLMode: "disable",
		Keys: AddressKeys{Host: "postgres.host", Database: "postgres.database", sslMode: "postgres.sslmode"}, Table: Table{Name: "usertable"},
		Form: "columns", Timeout: time.Minute, Runs: true, Create: descriptor.CreateNever, FillFactor: 100,
	}, s)
	s, err = Read(map[string]string{"phase": "load,run", "table": "Bench.UserTable", "postgres.host": "[::1]:5433", "postgres.form": "jsonb"})
	require.NoError(t, err)
	require.Equal(t, descriptor.CreateMissing, s.Create, "a load creates its table")
	require.Equal(t, "::1", s.Host)
	require.Equal(t, "[::1]:5433", s.Address)
	require.Equal(t, `"bench"."usertable"`, s.Table.SQL(), "names are folded as PostgreSQL folds them")
	require.Equal(t, "bench.usertable", s.Table.String())
	_, err = Read(map[string]string{"table": "a-b"})
	require.EqualError(t, err, `table: invalid table name "a-b": want letters, digits and _, after a schema and a dot if any`)
}

// The properties of YCSB's bindings have their meaning.
func TestPropertiesOfYCSB(t *testing.T) {
	s, warnings, err := parse(t, "db", "jdbc", "db.driver", "org.postgresql.Driver", "db.url", "jdbc:postgresql://db1:5433/ycsb?sslmode=require&reWriteBatchedInserts=true",
		"db.user", "admin", "db.passwd", "file:pg", "db.batchsize", "1000", "jdbc.autocommit", "true", "jdbc.fetchsize", "10")
	require.NoError(t, err)
	require.Equal(t, []string{"db1:5433", "ycsb", "admin", "require"}, []string{s.Address, s.Database, s.User, s.SSLMode})
	require.Equal(t, AddressKeys{Host: "db.url", Database: "db.url", sslMode: "db.url"}, s.Keys, "messages name what the user wrote")
	require.Equal(t, "sslmode=disable in db.url", s.Keys.SSLMode("disable"))
	for _, name := range []string{"db.driver", "db.batchsize", "jdbc.fetchsize"} {
		require.Contains(t, warnings, name)
	}
	s, _, err = parse(t, "db", "postgrenosql", "postgrenosql.url", "jdbc:postgresql://db2/test?ssl=true", "postgrenosql.user", "u", "postgrenosql.autocommit", "true", "postgres.form", "jsonb")
	require.NoError(t, err)
	require.Equal(t, []string{"db2:5432", "test", "u", "verify-full", "jsonb"}, []string{s.Address, s.Database, s.User, s.SSLMode, s.Form})
}

// A mistake is one error with the thing, the place and the cure. None repeats a password.
func TestMistakesInProperties(t *testing.T) {
	for _, test := range []struct {
		name, value, want string
		more              []string
	}{
		{"db.url", "jdbc:mysql://db1/ycsb", "is not the URL of a PostgreSQL: want jdbc:postgresql://HOST[:PORT]/DATABASE[?sslmode=MODE]", nil},
		{"db.url", "jdbc:postgresql://db1", "names no database", nil},
		{"db.url", "jdbc:postgresql://db1/a;jdbc:postgresql://db2/a", "names several servers, between which YCSB spreads the rows", nil},
		{"db.url", "jdbc:postgresql://db1,db2/a", "names several servers: want one", nil},
		{"db.url", "jdbc:postgresql://me:hidden@db1/a", "contains a user: set postgres.user, and postgres.password", nil},
		{"db.url", "jdbc:postgresql://db1/a?password=hidden", "has the parameter password, which benchd does not support: remove it", nil},
		{"db.url", "jdbc:postgresql://db1/a?sslmode=prefer", "has an unknown sslmode: want one of disable, require, verify-ca, verify-full", nil},
		{"db.url", "jdbc:postgresql://db1/a", "set only one of them", []string{"postgres.host", "db1"}},
		{"postgres.sslmode", "verify-ca", "contradicts sslmode=require of db.url; set only one of them", []string{"db.url", "jdbc:postgresql://db1/a?sslmode=require"}},
		{"db.passwd", "hidden", "postgres.password", nil},
		{"postgres.host", "db1:x", "invalid port", nil},
		{"postgres.host", "http://db1", "invalid port", nil},
		{"postgres.database", strings.Repeat("x", 64), "is 64 bytes long; a name in PostgreSQL has at most 63", nil},
		{"jdbc.autocommit", "false", "false is not supported: each operation is a transaction of its own: remove the property", nil},
		{"jdbc.batchupdateapi", "true", "set batchsize=N instead", nil},
		{"table", "pg_catalog.x", "want a schema other than PostgreSQL's own", nil},
		{"table", "1st", "want letters, digits and _", nil},
		{"fieldnameprefix", "f-", "cannot begin the name of a column", nil},
		{"fieldcount", "2000", "2000 fields are more columns than a table of PostgreSQL can have; use at most 1500, or postgres.form=jsonb", nil},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			_, _, err := parse(t, append(test.more, test.name, test.value)...)
			require.Error(t, err)
			if test.name != "db.passwd" {
				require.ErrorContains(t, err, test.want)
			}
			require.ErrorContains(t, err, strings.Split(test.name, ".")[0])
			require.NotContains(t, err.Error(), "hidden")
			require.NotContains(t, err.Error(), "\n", "one error")
		})
	}
}

func TestWarnings(t *testing.T) {
	for want, pairs := range map[string][]string{
		"has no effect: the run creates no table (postgres.table.create)":                 {"postgres.table.fillfactor", "90"},
		"has no effect on the rows of a table that is UNLOGGED (postgres.table.unlogged)": {"postgres.table.unlogged", "true", "phase", "load", "postgres.synchronous_commit", "on"},
	} {
		_, warnings, err := parse(t, pairs...)
		require.NoError(t, err)
		require.Contains(t, warnings, want)
	}
	_, warnings, err := parse(t, "postgres.table.fillfactor", "90", "phase", "load")
	require.NoError(t, err)
	require.Empty(t, warnings)
}

// Every key that is another name of a property has a property to name.
func TestAliasesNameProperties(t *testing.T) {
	names := make(map[string]bool)
	for _, k := range keys() {
		names[k.Name] = true
	}
	for _, k := range keys() {
		if k.Status == property.Alias {
			require.True(t, names[k.Of], k.Name)
		}
	}
}

func TestActionsCheckTheirArguments(t *testing.T) {
	for _, a := range Actions() {
		if a.Check == nil {
			continue
		}
		require.NoError(t, a.Check(map[string]string{"table": "s.t"}), a.Name)
		require.Error(t, a.Check(map[string]string{"table": "a b"}), a.Name)
		require.ErrorContains(t, a.Check(map[string]string{"full": "yes"}), "want true or false", a.Name)
	}
}

func FuzzURL(f *testing.F) {
	for _, text := range []string{"jdbc:postgresql://db1:5433/ycsb?sslmode=require", "postgres://[::1]/x", "jdbc:postgresql:x", "://", "jdbc:postgresql://a/%00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseURL(text)
		if err != nil {
			return
		}
		again, err := Read(map[string]string{urlKey: text})
		require.NoError(t, err)
		require.Equal(t, withPort(a.host), again.Address)
		require.NotEmpty(t, again.Host)
	})
}
