package postgres

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// connectWithin is the time limit of an attempt to connect, unless the URL has connect_timeout.
	connectWithin = 10 * time.Second
	// silence is how long the peer of a connection may send nothing when it should.
	silence = 20 * time.Second
	// idleWithin is how long a transaction that writes may wait for its client: one that a stopped process has left open ends soon, and
	// with it the locks that the next leader needs.
	idleWithin = 2 * time.Second
	// readTogether is how many bytes of an answer are read at once. The driver's own 8 KB are less than the server sends meanwhile.
	readTogether = 64 << 10
	// Schema is the default schema of the archive's tables; search_path in the URL names another one.
	Schema = "benchd"
)

const urlForm = "want postgres://USER@HOST:PORT/DATABASE, with the password in PGPASSWORD or in ~/.pgpass"

// address is a parsed URL.
type address struct {
	config *pgxpool.Config
	server string // for messages
	schema string
	client string // application_name of the connections of this archive
}

var schemaForm = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// Check checks the URL of an archive, and the files that it names. Its error does not contain the password.
func Check(url string) error {
	_, err := parse(url)
	return err
}

// parse reads a URL. Its errors do not contain the password.
func parse(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil { // the error has parts of the URL
		return address{}, fmt.Errorf("invalid URL: %s; in a URL, special characters of a password are percent-encoded", urlForm)
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return address{}, fmt.Errorf("invalid URL with scheme %q: %s", u.Scheme, urlForm)
	}
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		_, reason, _ := strings.Cut(err.Error(), "`: ")
		if inner := errors.Unwrap(err); inner != nil && strings.HasPrefix(reason, "failed") { // without the step of the driver
			reason = inner.Error()
		}
		reason, _, _ = strings.Cut(reason, " (strconv.") // what it names is enough
		if password, set := u.User.Password(); set && password != "" {
			reason = strings.ReplaceAll(reason, password, "xxxxx")
		}
		return address{}, fmt.Errorf("invalid URL (%s): %s", reason, urlForm)
	}
	c := config.ConnConfig
	c.Database = cmp.Or(c.Database, c.User) // as the server does
	a := address{config: config, schema: Schema, server: "PostgreSQL " + hostsOf(&c.Config) + "/" + c.Database}
	if given := c.RuntimeParams["search_path"]; given != "" {
		a.schema = given
	}
	if !schemaForm.MatchString(a.schema) {
		return address{}, fmt.Errorf("invalid search_path %q: want the name of one schema: lower case letters, digits and underscores", a.schema)
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	a.client = "benchd-" + hex.EncodeToString(id[:])
	if given := c.RuntimeParams["application_name"]; given != "" {
		a.client = given + "-" + a.client
	}
	delete(c.RuntimeParams, "search_path")
	c.RuntimeParams["application_name"], c.RuntimeParams["client_encoding"] = a.client, "UTF8"
	if c.ConnectTimeout == 0 || c.ConnectTimeout > connectWithin {
		c.ConnectTimeout = connectWithin
	}
	dialer := &net.Dialer{
		Control:         limitSilence,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 4, Interval: silence / 4, Count: 3},
	}
	c.DialFunc = dialer.DialContext
	c.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readTogether), w)
	}
	return a, nil
}

// hostsOf lists the hosts of a configuration, each with its port.
func hostsOf(c *pgconn.Config) string {
	list := []string{net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))}
	for _, f := range c.Fallbacks { // each host with and without TLS
		if at := net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port))); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return strings.Join(list, ",")
}

// settings are those of a session. They are set when it has begun: poolers refuse most of them as parameters of the start.
func (a address) settings(more ...string) []string {
	return append([]string{
		`SET search_path = ` + quoted(a.schema),
		`SET synchronous_commit = on`, // an acknowledged window is on the server's disk
		// A plan for all parameters may have been made when a week was empty.
		`SET plan_cache_mode = force_custom_plan`,
	}, more...)
}

// begin sets the settings of a new session. Servers other than PostgreSQL do not have all of them, and some PostgreSQL servers lack LZ4.
func begin(ctx context.Context, conn *pgx.Conn, settings []string) error {
	_, err := conn.PgConn().Exec(ctx, strings.Join(settings, "; ")).ReadAll()
	if state := stateOf(err); state != stateUnknownSetting && state != stateUnknownValue && state != stateUnsupported {
		return err
	}
	for _, setting := range settings {
		_, err := conn.PgConn().Exec(ctx, setting).ReadAll()
		if state := stateOf(err); err != nil && state != stateUnknownSetting && state != stateUnknownValue && state != stateUnsupported {
			return err
		}
	}
	return nil
}

// connect makes a connection that writes.
func (a address) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, a.config.ConnConfig.Copy())
	if err != nil {
		return nil, err
	}
	settings := a.settings(
		`SET default_transaction_isolation = 'read committed'`, // the lease is renewed while others have read it
		fmt.Sprintf(`SET idle_in_transaction_session_timeout = %d`, idleWithin.Milliseconds()),
		fmt.Sprintf(`SET lock_timeout = %d`, lockWithin.Milliseconds()),
		`SET default_toast_compression = lz4`, // what does not fit a row is unpacked several times as fast as by default
	)
	if err := begin(ctx, conn, settings); err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // the error is the cause
		return nil, err
	}
	return conn, nil
}

// pool makes a pool of up to size connections, which are made when they are needed.
func (a address) pool(ctx context.Context, size int32, more ...string) (*pgxpool.Pool, error) {
	config := a.config.Copy()
	config.MaxConns, config.MinConns, config.MinIdleConns = size, 0, 0
	config.PingTimeout = connectWithin
	settings := a.settings(more...)
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error { return begin(ctx, conn, settings) }
	return pgxpool.NewWithConfig(ctx, config)
}
