package postgresspec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The values of postgres.form.
const (
	FormColumns = "columns"
	FormJSONB   = "jsonb"
)

// Table is the name of a table.
type Table struct{ Schema, Name string } // without a schema the server finds it by its search_path

// String returns the name as users write it.
func (t Table) String() string {
	if t.Schema == "" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

// SQL returns the name for a statement.
func (t Table) SQL() string {
	if t.Schema == "" {
		return Ident(t.Name)
	}
	return Ident(t.Schema) + "." + Ident(t.Name)
}

// Ident returns a name for a statement. It is folded to lower case, as PostgreSQL folds the names that YCSB's bindings write without quotes.
func Ident(name string) string {
	return `"` + strings.ReplaceAll(Fold(name), `"`, `""`) + `"`
}

// Fold returns a name as PostgreSQL stores it when it is written without quotes.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// Settings are the settings of target postgres.
type Settings struct {
	Address  string // host:port
	Host     string // without the port
	Database string
	User     string
	SSLMode  string
	Keys     AddressKeys

	Table  Table
	Form   string
	Upsert bool
	Commit string // synchronous_commit of the connections; empty for the server's

	Timeout time.Duration // of an operation

	Loads, Runs bool // the phases
	Create      descriptor.Creation
	FillFactor  int
	Unlogged    bool
}

// AddressKeys are the properties that the user gave the address by, for messages that name them.
type AddressKeys struct {
	Host     string // postgres.host or db.url
	Database string // postgres.database or db.url
	sslMode  string // postgres.sslmode or db.url
}

// SSLMode returns how the user sets a mode of TLS.
func (k AddressKeys) SSLMode(mode string) string {
	if k.sslMode == urlKey {
		return "sslmode=" + mode + " in " + urlKey
	}
	return sslModeKey + "=" + mode
}

// Read returns the settings of resolved properties. The error is of type property.Problems.
func Read(properties map[string]string) (Settings, error) {
	known := slices.DeleteFunc(keys(), func(k property.Key) bool { return k.Status != "" })
	v, err := property.Read(properties, append(known,
		property.Key{Name: "table", Kind: property.Text, Default: "usertable"}, property.Key{Name: "phase", Kind: property.Text, Default: "run"}))
	if err != nil {
		return Settings{}, err
	}
	table, err := ParseTable(v.Text("table"))
	if err != nil {
		return Settings{}, property.Problems{{Key: "table", Text: err.Error()}}
	}
	at, err := addressOf(v)
	if err != nil {
		return Settings{}, property.Problems{{Key: urlKey, Text: err.Error()}}
	}
	host := withPort(at.host)
	return Settings{
		Address:  host,
		Host:     strings.Trim(host[:strings.LastIndexByte(host, ':')], "[]"),
		Database: at.database,
		User:     v.Text(userKey),
		SSLMode:  at.sslMode,
		Keys:     at.keys,

		Table:  table,
		Form:   v.Text(formKey),
		Upsert: v.Bool(upsertKey),
		Commit: v.Text(commitKey),

		Timeout: v.Milliseconds(timeoutKey),

		Loads:      strings.Contains(v.Text("phase"), "load"),
		Runs:       strings.Contains(v.Text("phase"), "run"),
		Create:     descriptor.CreationOf(v, createKey),
		FillFactor: v.Int(fillFactorKey),
		Unlogged:   v.Bool(unloggedKey),
	}, nil
}

// addressOf returns what db.url names, or else what the properties of postgres name.
func addressOf(v property.Values) (address, error) {
	given := address{
		host: v.Text(hostKey), database: v.Text(databaseKey), sslMode: v.Text(sslModeKey),
		keys: AddressKeys{Host: hostKey, Database: databaseKey, sslMode: sslModeKey},
	}
	if v.Text(urlKey) == "" {
		return given, nil
	}
	at, err := parseURL(v.Text(urlKey))
	at.keys = AddressKeys{Host: urlKey, Database: urlKey, sslMode: urlKey}
	if at.sslMode == "" {
		at.sslMode, at.keys.sslMode = given.sslMode, sslModeKey
	}
	return at, err
}

// recreates reports whether the table and its rows are dropped.
func recreates(v property.Values) bool {
	return descriptor.CreationOf(v, createKey) == descriptor.Recreate
}

// ParseTable parses a table's name: [schema.]name.
func ParseTable(text string) (Table, error) {
	schema, name, found := strings.Cut(text, ".")
	if !found {
		schema, name = "", text
	}
	for _, part := range []string{schema, name} {
		if len(part) > longestName {
			return Table{}, fmt.Errorf("invalid table name %s: a name in PostgreSQL has at most %d bytes", property.Quote(text), longestName)
		}
		for i, r := range part {
			if !letter(r) && (i == 0 || r < '0' || r > '9') {
				return Table{}, fmt.Errorf("invalid table name %s: want letters, digits and _, after a schema and a dot if any", property.Quote(text))
			}
		}
	}
	switch {
	case name == "" || found && schema == "":
		return Table{}, fmt.Errorf("invalid table name %s: want table or schema.table", property.Quote(text))
	case strings.HasPrefix(Fold(schema), "pg_") || Fold(schema) == "information_schema":
		return Table{}, fmt.Errorf("invalid table name %s: want a schema other than PostgreSQL's own", property.Quote(text))
	}
	return Table{Schema: Fold(schema), Name: Fold(name)}, nil
}

const longestName = 63

func letter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' }
