package client

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
)

// ConnectWithin is the time limit of Connect.
const ConnectWithin = 8 * time.Second

// findWithin is how long Connect waits for a server to answer. The rest of its time is for finding out why none does.
const findWithin = 6 * time.Second

// closeWithin is the time limit of closing connections.
const closeWithin = 5 * time.Second

// Config is with what to connect.
type Config struct {
	Settings   mongodbspec.Settings
	Password   secret.Value
	Dial       *outbound.Dialer
	Credential *credential.Credential // for TLS
	Logger     *slog.Logger
	// Events counts the driver's connections. Optional.
	Events *Events
}

// Client is the driver's client of one installation.
type Client struct {
	*mongo.Client
	Hello  Hello // of the server that answered first
	config Config
}

// New makes a client without connecting.
func New(c Config) (*Client, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	o, err := c.options()
	if err != nil {
		return nil, err
	}
	m, err := mongo.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("read mongodb.url: %w", err)
	}
	return &Client{Client: m, config: c}, nil
}

// dialer connects to addresses that something has named.
func (c Config) dialer(namedBy string) options.ContextDialer {
	dial := c.Dial.Named(namedBy)
	if c.Events == nil {
		return dial
	}
	return dialer{dial, c.Events}
}

// Settings returns the settings of the run.
func (c *Client) Settings() mongodbspec.Settings { return c.config.Settings }

// options returns the options of the driver.
func (c Config) options() (*options.ClientOptions, error) {
	u := c.Settings.URL
	o := options.Client().ApplyURI(u.String()).
		SetRetryReads(false).SetRetryWrites(false).
		SetDialer(c.dialer("mongodb.url")).
		SetHTTPClient(outbound.Client(c.Dial, closeWithin)).
		SetLoggerOptions(options.Logger())
	if u.Option("appName") == "" {
		o.SetAppName("benchd")
	}
	if o.TLSConfig != nil {
		config, err := c.Credential.TLS()
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the file
		}
		o.SetTLSConfig(config)
	}
	if c.Settings.User != "" || u.Option("authMechanism") != "" {
		o.SetAuth(options.Credential{
			AuthMechanism: u.Option("authMechanism"), AuthSource: u.Option("authSource"),
			Username: c.Settings.User, Password: c.Password.Reveal(), PasswordSet: c.Password.Reveal() != "",
		})
	}
	return o, nil
}

// Close closes all connections.
func (c *Client) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	if err := c.Disconnect(ctx); err != nil {
		return fmt.Errorf("close connections to MongoDB: %w", err)
	}
	return nil
}

// Direct makes a client of one server, a member of a replica set or a shard, with the same user and TLS.
func (c *Client) Direct(address, namedBy string) (*Client, error) {
	o, err := c.config.options()
	if err != nil {
		return nil, err
	}
	const one = 1
	o.SetHosts([]string{address}).SetDirect(true).SetDialer(c.config.dialer(namedBy)).SetMaxPoolSize(one)
	o.ReplicaSet, o.LoadBalanced, o.SRVMaxHosts, o.MinPoolSize = nil, nil, nil, nil
	m, err := mongo.Connect(o)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	direct := *c
	direct.Client = m
	return &direct, nil
}

// Admin runs a command on the database admin of any server that answers.
func (c *Client) Admin(ctx context.Context, command bson.D) (bson.Raw, error) {
	return c.run(ctx, "admin", command, readpref.Nearest())
}

// OnPrimary runs a command on the database of the settings, on the primary.
func (c *Client) OnPrimary(ctx context.Context, command bson.D) (bson.Raw, error) {
	return c.run(ctx, c.config.Settings.Database, command, readpref.Primary())
}

// AdminOnPrimary runs a command on the database admin, on the primary.
func (c *Client) AdminOnPrimary(ctx context.Context, command bson.D) (bson.Raw, error) {
	return c.run(ctx, "admin", command, readpref.Primary())
}

func (c *Client) run(ctx context.Context, database string, command bson.D, from *readpref.ReadPref) (bson.Raw, error) {
	raw, err := c.Database(database).RunCommand(ctx, command, options.RunCmd().SetReadPreference(from)).Raw()
	if err != nil {
		return nil, c.Explain(ctx, command[0].Key, err)
	}
	return raw, nil
}
