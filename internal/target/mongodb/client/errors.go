package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/target/mongodb/mongodbspec"
	"github.com/benchd/benchd/internal/workload"
)

// Codes of the server's errors, as MongoDB's documentation lists them.
const (
	codeBadValue          = 2
	codeFailedToParse     = 9
	codeUnauthorized      = 13
	codeTypeMismatch      = 14
	codeAuthentication    = 18
	codeNamespaceNotFound = 26
	codeMaxTime           = 50
	codeCommandNotFound   = 59
	codeInvalidNamespace  = 73
	codeWriteConcern      = 64
	codeShuttingDown      = 91
	codeCannotSatisfy     = 100
	codeNotPrimaryOld     = 189
	codeExceededTime      = 262
	codeTooLarge          = 10334
	codeNotPrimary        = 10107
	codeDuplicateKey      = 11000
	codeAtShutdown        = 11600
	codeStateChange       = 11602
	codeNotSecondaryOK    = 13435
	codeRecovering        = 13436
)

// Code returns the code of the server's error, or 0.
func Code(err error) int {
	if e, ok := errors.AsType[mongo.CommandError](err); ok {
		return int(e.Code)
	}
	if e, ok := errors.AsType[mongo.WriteException](err); ok {
		if len(e.WriteErrors) > 0 {
			return e.WriteErrors[0].Code
		}
		if e.WriteConcernError != nil {
			return e.WriteConcernError.Code
		}
	}
	return 0
}

// NotFound reports whether a collection does not exist.
func NotFound(err error) bool { return Code(err) == codeNamespaceNotFound }

// Unsupported reports whether the server does not have a command.
func Unsupported(err error) bool {
	return Code(err) == codeCommandNotFound || Code(err) == 238 // NotImplemented, of other servers than MongoDB
}

// CodeOf returns the outcome code of an error that ends an operation.
func CodeOf(err error) workload.Code {
	switch code := Code(err); code {
	case 0:
		return codeOfConnection(err)
	case codeUnauthorized, codeAuthentication:
		return workload.Forbidden
	case codeMaxTime, codeExceededTime, codeWriteConcern:
		return workload.Timeout
	case codeBadValue, codeFailedToParse, codeTypeMismatch, codeInvalidNamespace, codeTooLarge, codeCannotSatisfy:
		return workload.BadRequest
	case codeShuttingDown, codeNotPrimaryOld, codeNotPrimary, codeAtShutdown, codeStateChange, codeNotSecondaryOK, codeRecovering:
		return workload.ServiceUnavailable
	default:
		return workload.Error
	}
}

// codeOfConnection returns the outcome code of an error that is not the server's.
func codeOfConnection(err error) workload.Code {
	if _, selecting := errors.AsType[topology.ServerSelectionError](err); selecting {
		return workload.ServiceUnavailable
	}
	switch _, broken := errors.AsType[topology.ConnectionError](err); {
	case mongo.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return workload.Timeout
	case broken || mongo.IsNetworkError(err):
		return workload.ServiceUnavailable
	}
	return workload.Error
}

// Short returns a text of an operation's error that is the same for errors of the same kind, so that results can group them.
func Short(err error) error {
	if selection, ok := errors.AsType[topology.ServerSelectionError](err); ok {
		return fmt.Errorf("no server available: %s", lastErrors(selection))
	}
	if conn, ok := errors.AsType[topology.ConnectionError](err); ok {
		return fmt.Errorf("connection broken: %w", cause(conn))
	}
	if Code(err) == codeDuplicateKey {
		return errors.New("the document exists (duplicate key): set mongodb.upsert=true, or mongodb.collection.create=recreate for an empty collection")
	}
	return err
}

// cause returns the last error of a chain that has a text of its own.
func cause(err error) error {
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		return refused
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Err
	}
	if e, ok := errors.AsType[driver.Error](err); ok {
		return e
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// lastErrors describes why no server is available.
func lastErrors(e topology.ServerSelectionError) string {
	var parts []string
	for _, s := range e.Desc.Servers {
		if s.LastError != nil {
			parts = append(parts, fmt.Sprintf("%s: %s", s.Addr, cause(s.LastError)))
		} else {
			parts = append(parts, fmt.Sprintf("%s is %s", s.Addr, s.Kind))
		}
	}
	if e.Desc.CompatibilityErr != nil {
		parts = append(parts, e.Desc.CompatibilityErr.Error())
	}
	return strings.Join(parts, "; ")
}

// hostsOf names the servers of the url.
func hostsOf(s mongodbspec.Settings) string { return strings.Join(s.URL.Hosts, ",") }

// Explain adds the place and the cure to an error of a command.
func (c *Client) Explain(ctx context.Context, what string, err error) error {
	s := c.config.Settings
	where := hostsOf(s)
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		return refused
	}
	if selection, ok := errors.AsType[topology.ServerSelectionError](err); ok {
		if refused := refusedIn(selection); refused != nil {
			return refused
		}
		return c.explainSelection(ctx, selection, where)
	}
	if strings.Contains(err.Error(), "auth error") || Code(err) == codeAuthentication {
		return fmt.Errorf("authenticate as %s at %s: %s; check mongodb.user, the secret of mongodb.password, and authSource in mongodb.url", s.User, where, strings.TrimSuffix(cause(err).Error(), "."))
	}
	if Code(err) == codeUnauthorized {
		cure := "give the user a role for it"
		if s.User == "" {
			cure = "the server needs a user: set mongodb.user and mongodb.password"
		}
		return fmt.Errorf("%s at %s: %w: %s", what, where, err, cure)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s at %s: no answer in time; check the address in mongodb.url: %w", what, where, err)
	}
	return fmt.Errorf("%s at %s: %w", what, where, err)
}

// refusedIn returns the error of an address that the agent may not reach, or nil.
func refusedIn(e topology.ServerSelectionError) error {
	for _, s := range e.Desc.Servers {
		if refused, ok := errors.AsType[*outbound.RefusedError](s.LastError); ok {
			return refused
		}
	}
	return nil
}

// explainSelection explains why no server of the url can be used.
func (c *Client) explainSelection(ctx context.Context, e topology.ServerSelectionError, where string) error {
	s := c.config.Settings
	if wanted := s.URL.Option("replicaSet"); wanted != "" {
		if found := c.setNames(ctx, wanted); found != "" {
			return fmt.Errorf("replica set %q of mongodb.url is not at %s: %s", wanted, where, found)
		}
	}
	for _, server := range e.Desc.Servers {
		if server.LastError == nil && s.ReadPreference != "primary" {
			return fmt.Errorf("no member of the replica set at %s fits readPreference=%s (%s): change the read preference, or start such a member", where, s.ReadPreference, lastErrors(e))
		}
	}
	text := lastErrors(e)
	if strings.Contains(text, "tls:") || strings.Contains(text, "x509:") {
		return fmt.Errorf("connect to MongoDB at %s: %s: check tls in mongodb.url, and the authority that the agents have (--target-tls-ca)", where, text)
	}
	if s.URL.Option("tls") == "true" && strings.HasSuffix(text, "EOF") {
		return fmt.Errorf("connect to MongoDB at %s: the server ends the TLS handshake: if it has no TLS, remove tls from mongodb.url", where)
	}
	if text == "" {
		text = "none of its servers was found"
	}
	return fmt.Errorf("no MongoDB answers at %s: %s: start it, or correct mongodb.url", where, text)
}

// setNames describes the replica sets of the url's servers, if they are others than the wanted one.
func (c *Client) setNames(ctx context.Context, wanted string) string {
	if ctx.Err() != nil { // its time is over, and the caller has some left
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), ConnectWithin/8)
		defer cancel()
	}
	for _, address := range c.config.Settings.URL.Hosts {
		direct, err := c.Direct(address, "mongodb.url")
		if err != nil {
			continue
		}
		h, err := direct.hello(ctx)
		_ = direct.Close()
		switch {
		case err != nil || h.SetName == wanted:
		case h.SetName != "":
			return fmt.Sprintf("%s is a member of %q: write replicaSet=%s in mongodb.url", address, h.SetName, h.SetName)
		default:
			return fmt.Sprintf("%s is a %s: remove replicaSet from mongodb.url", address, h.Topology())
		}
	}
	return ""
}

// hello asks one server about itself.
func (c *Client) hello(ctx context.Context) (Hello, error) {
	var h Hello
	raw, err := c.Database("admin").RunCommand(ctx, bson.D{{Key: "hello", Value: 1}}).Raw()
	if err != nil {
		return h, err //nolint:wrapcheck // the caller names the server
	}
	if err := bson.Unmarshal(raw, &h); err != nil {
		return h, fmt.Errorf("read the answer to hello: %w", err)
	}
	return h, nil
}
