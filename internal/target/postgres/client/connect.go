package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/rawio"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/postgres/postgresspec"
)

// Within is the time limit of one attempt to connect.
const Within = 8 * time.Second

// Config is what a Connector is made of.
type Config struct {
	Settings   postgresspec.Settings
	Password   secret.Value
	Dial       *outbound.Dialer
	Credential *credential.Credential
	// Application is the name of the connections in pg_stat_activity.
	Application string
	// KnownIO makes ordinary system calls; see package rawio.
	KnownIO bool
}

// Connector makes connections to one server. Its methods may be called from several goroutines.
type Connector struct {
	config   *pgconn.Config
	settings postgresspec.Settings
}

// New makes a Connector. Nothing is connected yet.
func New(c Config) (*Connector, error) {
	s := c.Settings
	// What the text names does not come from the environment of the process. The rest is set below.
	config, err := pgconn.ParseConfig("host=127.0.0.1 port=5432 user=benchd password=benchd dbname=benchd sslmode=disable target_session_attrs=any passfile=/dev/null")
	if err != nil {
		return nil, fmt.Errorf("prepare connections to PostgreSQL (unset the PG variables of the agent's environment): %w", err)
	}
	_, port, _ := net.SplitHostPort(s.Address)
	number, _ := strconv.ParseUint(port, 10, 16)
	config.Host, config.Port = s.Host, uint16(number)
	config.Database, config.User, config.Password = s.Database, s.User, c.Password.Reveal()
	config.ConnectTimeout, config.Fallbacks, config.ValidateConnect = Within, nil, nil
	config.MinProtocolVersion, config.MaxProtocolVersion, config.ChannelBinding = "3.0", "3.0", "prefer"
	config.KerberosSpn, config.KerberosSrvName, config.SSLNegotiation, config.SSLCertMode = "", "", "", "allow"
	config.RuntimeParams = map[string]string{"application_name": c.Application, "client_encoding": "UTF8", "TimeZone": "UTC"}
	if s.Commit != "" {
		config.RuntimeParams["synchronous_commit"] = s.Commit
	}
	if config.TLSConfig, err = encryption(s, c.Credential); err != nil {
		return nil, err
	}
	config.RequireAuth = ""
	if config.TLSConfig == nil {
		config.RequireAuth = "!password" // no server gets the password itself in plain text
	}
	dial := c.Dial.Named(s.Keys.Host)
	config.DialFunc = func(ctx context.Context, network, _ string) (net.Conn, error) {
		to, err := dial.DialContext(ctx, network, s.Address)
		if err != nil || c.KnownIO {
			return to, err
		}
		return rawio.Conn(to), nil
	}
	config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{"0.0.0.0"}, nil } // DialFunc resolves the name
	return &Connector{config: config, settings: s}, nil
}

// encryption returns the configuration of TLS, or nil without TLS.
func encryption(s postgresspec.Settings, c *credential.Credential) (*tls.Config, error) {
	if s.SSLMode == postgresspec.SSLDisable {
		return nil, nil //nolint:nilnil // no TLS is a valid configuration
	}
	config, err := c.TLS()
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	config.ServerName = s.Host
	if s.SSLMode == postgresspec.SSLVerifyFull {
		return config, nil
	}
	if s.SSLMode == postgresspec.SSLVerifyCA {
		credential.AnyName(config)
	} else {
		config.InsecureSkipVerify = true // mode require: encrypted, and unchecked, as in libpq
	}
	return config, nil
}

// Settings returns the settings of the connections.
func (c *Connector) Settings() postgresspec.Settings { return c.settings }

// Connect logs in. The connection belongs to the caller.
func (c *Connector) Connect(ctx context.Context) (*pgconn.PgConn, error) {
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	conn, err := pgconn.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, &ConnectError{text: c.explain(ctx, err), err: err}
	}
	return conn, nil
}

// Close closes a connection within a second.
func Close(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // its server forgets it in any case
}

// Query executes one statement with parameters, and returns its rows as texts; NULL is an empty text.
func Query(ctx context.Context, conn *pgconn.PgConn, sql string, args ...string) ([][]string, error) {
	params := make([][]byte, len(args))
	for i, arg := range args {
		params[i] = []byte(arg)
	}
	result := conn.ExecParams(ctx, sql, params, nil, nil, nil).Read()
	if result.Err != nil {
		return nil, plain(result.Err)
	}
	rows := make([][]string, len(result.Rows))
	for i, values := range result.Rows {
		rows[i] = make([]string, len(values))
		for j, value := range values {
			rows[i][j] = string(value)
		}
	}
	return rows, nil
}

// plain returns an error of the server without the words of the protocol.
func plain(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &ServerError{e}
	}
	return err
}
