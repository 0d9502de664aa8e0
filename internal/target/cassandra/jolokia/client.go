// Package jolokia reads and calls a node's JMX over HTTP, through the Jolokia agent in its process. JMX itself needs Java.
package jolokia

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
)

// maxAnswer bounds an answer.
const maxAnswer = 4 << 20

// ErrNone means that the settings name no port of Jolokia.
var ErrNone = errors.New("cassandra.jolokia.port is not set")

// Config configures a Client.
type Config struct {
	Settings cassandraspec.Jolokia
	Password secret.Value
	HTTP     *http.Client
}

// Client calls the agents in the nodes. Its methods may be called from several goroutines.
type Client struct{ config Config }

// New makes a Client. The error of settings without a port is ErrNone.
func New(config Config) (*Client, error) {
	if config.Settings.Port == 0 {
		return nil, ErrNone
	}
	return &Client{config}, nil
}

// HTTP makes the HTTP client of a Config. Config is that of TLS; nil is the default one.
func HTTP(dial *outbound.Dialer, config *tls.Config) *http.Client {
	return outbound.TLSClient(dial.Named("cassandra.jolokia.port"), 0, config)
}

// Close closes idle connections.
func (c *Client) Close() { c.config.HTTP.CloseIdleConnections() }

// Request is a request to Jolokia: it reads attributes of a bean, or calls an operation.
type Request struct {
	Type      string `json:"type"`
	Bean      string `json:"mbean"`
	Attribute any    `json:"attribute,omitempty"`
	Operation string `json:"operation,omitempty"`
	Arguments []any  `json:"arguments,omitempty"`
}

// Exec is a request that calls an operation of a bean, which is named with the types of its arguments.
func Exec(bean, operation string, arguments ...any) Request {
	return Request{Type: "exec", Bean: bean, Operation: operation, Arguments: arguments}
}

// Read is a request that reads attributes of a bean, or of all beans that match its pattern.
func Read(bean string, attributes ...string) Request {
	return Request{Type: "read", Bean: bean, Attribute: attributes}
}

// Answer is the answer to a Request.
type Answer struct {
	Status int             `json:"status"`
	Error  string          `json:"error"`
	Value  json.RawMessage `json:"value"`
}

// Err returns the error of the bean, or nil.
func (a Answer) Err() error {
	if a.Status == http.StatusOK {
		return nil
	}
	return errors.New(strings.TrimSpace(a.Error))
}

// Call sends requests to the agent of a node, whose address for clients is host:port. There is an answer to each.
func (c *Client) Call(ctx context.Context, node string, requests ...Request) ([]Answer, error) {
	host, _, err := net.SplitHostPort(node)
	if err != nil {
		return nil, fmt.Errorf("call Jolokia of node %s: %w", node, err)
	}
	url := c.scheme() + "://" + net.JoinHostPort(host, strconv.Itoa(c.config.Settings.Port)) + strings.TrimSuffix(c.config.Settings.Path, "/") + "/"
	body, err := json.Marshal(requests)
	if err != nil {
		return nil, fmt.Errorf("call Jolokia at %s: %w", url, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call Jolokia at %s: %w", url, err)
	}
	request.Header.Set("Content-Type", "application/json")
	if user := c.config.Settings.Username; user != "" {
		request.SetBasicAuth(user, c.config.Password.Reveal())
	}
	answer, err := c.config.HTTP.Do(request)
	if err != nil {
		return nil, fmt.Errorf("call Jolokia at %s: %w; is the Jolokia agent loaded there, and is cassandra.jolokia.port right?", url, err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("call Jolokia at %s: %w", url, err)
	case answer.StatusCode == http.StatusUnauthorized, answer.StatusCode == http.StatusForbidden:
		return nil, fmt.Errorf("call Jolokia at %s: %s; check cassandra.jolokia.username and cassandra.jolokia.password", url, answer.Status)
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("call Jolokia at %s: %s; check cassandra.jolokia.port and cassandra.jolokia.path", url, answer.Status)
	case len(content) > maxAnswer:
		return nil, fmt.Errorf("call Jolokia at %s: the answer is longer than %d MiB", url, maxAnswer>>20)
	}
	var answers []Answer
	if err := json.Unmarshal(content, &answers); err != nil || len(answers) != len(requests) {
		return nil, fmt.Errorf("call Jolokia at %s: the answer is not that of Jolokia; check cassandra.jolokia.port and cassandra.jolokia.path", url)
	}
	return answers, nil
}

func (c *Client) scheme() string {
	if c.config.Settings.TLS {
		return "https"
	}
	return "http"
}
