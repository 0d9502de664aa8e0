package main

import (
	"net"
	"net/http"
	"strings"

	"github.com/benchd/benchd/internal/api"
	"github.com/benchd/benchd/internal/console"
	"github.com/benchd/benchd/internal/coordinator"
	"github.com/benchd/benchd/internal/debugserver"
	"github.com/benchd/benchd/internal/websession"
)

// newConsole returns the console of a coordinator that listens on two ports. secured means that HTTP uses TLS, and asks that it asks its peers
// for certificates or passwords.
func newConsole(rpc, web net.Listener, secured, asks bool) *coordinator.Console {
	c := &coordinator.Console{Sessions: websession.New(), Scheme: "http", Asks: asks}
	if secured {
		c.Scheme = "https"
	}
	if at, is := web.Addr().(*net.TCPAddr); is {
		c.Port = at.Port
		grpc, too := rpc.Addr().(*net.TCPAddr)
		if same := too && at.IP.Equal(grpc.IP); !same && !at.IP.IsUnspecified() {
			c.Host = at.IP.String()
		}
	}
	return c
}

// consoleURL is the address of the console for the log.
func consoleURL(c *coordinator.Console, web net.Listener) string {
	if c == nil {
		return ""
	}
	return c.Scheme + "://" + web.Addr().String() + websession.Home
}

// loginCure is how a browser logs in; nil without a console.
func loginCure(c *coordinator.Console) func(*http.Request) string {
	if c == nil {
		return nil
	}
	return websession.Cure
}

// serveConsole adds the console to what a coordinator serves over HTTP.
func serveConsole(config *debugserver.ServerConfig, coord *coordinator.Coordinator, c *coordinator.Console) {
	if c == nil {
		return
	}
	served := websession.Handler(websession.Config{Store: c.Sessions, Pages: console.Handler(), Who: coord.HTTPPeer, Record: coord.RecordRequest})
	config.Trees[websession.Home] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := api.CheckHost(r); err != nil {
			websession.Refuse(w, r, http.StatusMisdirectedRequest, err)
			return
		}
		served.ServeHTTP(w, r)
	})
	config.Home, config.Session = websession.Home, coord.EnterSession
	config.Refuse = refuse
}

// refuse answers a request that is not admitted: with a document of the API, with a page of the console, or with text.
func refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	switch {
	case strings.HasPrefix(r.URL.Path, api.Prefix+"/"):
		message := err.Error()
		if status == http.StatusUnauthorized {
			message += "; " + websession.Cure(r)
		}
		api.Refuse(w, status, message)
	case strings.HasPrefix(r.URL.Path, websession.Home):
		websession.Refuse(w, r, status, err)
	default:
		http.Error(w, err.Error(), status)
	}
}
