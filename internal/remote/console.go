package remote

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/wire"
)

// Console is how a browser opens the web console of a coordinator.
type Console struct {
	URL      string
	ValidFor time.Duration // of the URL, which logs in once; 0 if the console needs no login
}

// paths of the console.
const (
	consolePath = "/console/"
	loginPath   = "/console/login"
)

// OpenConsole asks a coordinator for a link to its console, which logs in as this client.
func (c *Client) OpenConsole(ctx context.Context) (Console, error) {
	ctx, cancel := context.WithTimeout(ctx, c.patience.answer)
	defer cancel()
	m, err := c.service.OpenConsole(ctx, &benchdv1.OpenConsoleRequest{})
	if wire.Unanswered(err) {
		return Console{}, wire.Errorf(wire.ErrNotFound, "the coordinator at %s is too old to have a console: install the same release on both", c.where)
	}
	if err != nil {
		return Console{}, c.translate(err)
	}
	return consoleOf(m, c.leader()), nil
}

func consoleOf(m *benchdv1.OpenConsoleResponse, address string) Console {
	host := m.GetHost()
	if host == "" {
		host = hostOf(address)
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, strconv.FormatUint(uint64(m.GetPort()), 10)), Path: consolePath}
	if m.GetScheme() == "https" {
		u.Scheme = "https"
	}
	one := Console{ValidFor: m.GetValidFor().AsDuration()}
	if m.GetCode() != "" {
		u.Path, u.RawQuery = loginPath, url.Values{"code": {m.GetCode()}}.Encode()
	}
	one.URL = u.String()
	return one
}

// hostOf returns the host of a coordinator's address: this machine for a socket.
func hostOf(address string) string {
	const here = "127.0.0.1"
	if strings.HasPrefix(address, "unix:") {
		return here
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return here
	}
	return cmp.Or(host, here)
}
