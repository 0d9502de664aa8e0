package postgresspec

import (
	"errors"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The properties.
const (
	hostKey       = "postgres.host"
	databaseKey   = "postgres.database"
	userKey       = "postgres.user"
	passwordKey   = "postgres.password"
	sslModeKey    = "postgres.sslmode"
	formKey       = "postgres.form"
	upsertKey     = "postgres.upsert"
	commitKey     = "postgres.synchronous_commit"
	timeoutKey    = "postgres.operation.timeout"
	createKey     = "postgres.table.create"
	fillFactorKey = "postgres.table.fillfactor"
	unloggedKey   = "postgres.table.unlogged"
	urlKey        = "db.url"
	autoCommitKey = "jdbc.autocommit"
	batchingKey   = "jdbc.batchupdateapi"
)

// PasswordProperty is the property with the reference to the password.
const PasswordProperty = passwordKey

// keys lists the properties of PostgreSQL. Each has its name in one of YCSB's bindings, or one that begins with postgres.
func keys() []property.Key {
	const day = 86400_000
	return []property.Key{
		{Name: formKey, Kind: property.Enum, Default: FormColumns, Values: []string{FormColumns, FormJSONB}, Doc: "form of a row: a column for each field, as in YCSB's jdbc binding, or one jsonb document, as in its postgrenosql binding"},
		{Name: hostKey, Kind: property.Text, Default: "127.0.0.1", Check: checkHost, Doc: "host[:port] of the server; the port is 5432 by default"},
		{Name: databaseKey, Kind: property.Text, Default: "postgres", Check: checkName, Doc: "the database"},
		{Name: urlKey, Kind: property.Text, Check: checkURL, Doc: "the address as YCSB's bindings have it, in place of postgres.host and postgres.database: jdbc:postgresql://HOST[:PORT]/DATABASE[?sslmode=MODE]"},
		{Name: userKey, Kind: property.Text, Default: "postgres", Check: checkName, Doc: "the role that the agents log in as"},
		{Name: passwordKey, Kind: property.Secret, Doc: "its password, by reference: file:postgres, env:BENCHD_SECRET_POSTGRES or credential:postgres"},
		{Name: sslModeKey, Kind: property.Enum, Default: SSLDisable, Values: []string{SSLDisable, SSLRequire, SSLVerifyCA, SSLVerifyFull}, Doc: "TLS: none, required without a check of the certificate, with a check of its authority, or also of the host's name; authorities and client certificates are those of the agents (--target-tls-ca, --target-tls-cert)"},

		{Name: commitKey, Kind: property.Enum, Values: []string{"on", "off", "local", "remote_write", "remote_apply"}, Doc: "synchronous_commit of the agents' connections: what the server waits for before it acknowledges a write; by default the server's own setting"},
		{Name: upsertKey, Kind: property.Bool, Default: "false", Doc: "let an insert overwrite an existing row (ON CONFLICT DO UPDATE); otherwise it fails, as in YCSB"},
		{Name: timeoutKey, Kind: property.Int, Default: "60000", Min: 10, Max: day, Doc: "milliseconds after which an operation, including the wait for a new connection, ends as TIMEOUT"},

		{Name: createKey, Kind: property.Enum, Values: descriptor.Creations(), Doc: "whether to create the table; by default missing in a load, and otherwise never"},
		{Name: fillFactorKey, Kind: property.Int, Default: "100", Min: 10, Max: 100, Doc: "fillfactor of a table that is created: percent of a page that inserts fill, so that updates find room on it"},
		{Name: unloggedKey, Kind: property.Bool, Default: "false", Doc: "create the table UNLOGGED: its rows are not in the WAL, and a crash of the server empties it"},

		{Name: "db.user", Status: property.Alias, Of: userKey, Doc: "the name in YCSB's jdbc binding"},
		{Name: "db.passwd", Kind: property.Secret, Status: property.Alias, Of: passwordKey, Reason: "YCSB has the password itself here; benchd has a reference to it", Doc: "the name in YCSB's jdbc binding"},
		{Name: "postgrenosql.url", Status: property.Alias, Of: urlKey, Doc: "the name in YCSB's postgrenosql binding"},
		{Name: "postgrenosql.user", Status: property.Alias, Of: userKey, Doc: "the name in YCSB's postgrenosql binding"},
		{Name: "postgrenosql.passwd", Kind: property.Secret, Status: property.Alias, Of: passwordKey, Reason: "YCSB has the password itself here; benchd has a reference to it", Doc: "the name in YCSB's postgrenosql binding"},
		{Name: autoCommitKey, Kind: property.Bool, Default: "true", Check: only("true", "each operation is a transaction of its own: remove the property"), Doc: "commit each operation; only true is supported"},
		{Name: "postgrenosql.autocommit", Status: property.Alias, Of: autoCommitKey, Doc: "the name in YCSB's postgrenosql binding"},
		{Name: batchingKey, Kind: property.Bool, Default: "false", Check: only("false", "it counts rows that the server does not have yet: set batchsize=N instead, and an operation is then one batch"), Doc: "keep inserts back and send them together; only false is supported"},
		{Name: "db.batchsize", Kind: property.Int, Max: 1e6, Status: property.Idle, Reason: "without jdbc.batchupdateapi=true YCSB ignores it, too; set batchsize=N, and an operation is then one batch"},
		{Name: "db.driver", Kind: property.Text, Status: property.Idle, Reason: "benchd has its own driver of PostgreSQL (pgx)"},
		{Name: "jdbc.fetchsize", Kind: property.Int, Max: 1e9, Status: property.Idle, Reason: "the rows of a scan arrive in one answer, as in YCSB by default"},
	}
}

// only accepts one value of a boolean.
func only(value, reason string) func(string) (string, error) {
	return func(given string) (string, error) {
		got, err := property.ParseBool(given)
		if err == nil && got != value {
			err = errors.New(got + " is not supported: " + reason)
		}
		return got, err
	}
}
