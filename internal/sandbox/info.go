package sandbox

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/benchd/benchd/internal/sandbox/rpc"
)

// infoPort serves metrics over HTTP.
type infoPort struct {
	listener net.Listener
	server   *http.Server
	work     sync.WaitGroup
}

func newInfoPort(ctx context.Context, at string) (*infoPort, error) {
	listener, err := listen(ctx, at)
	if err != nil {
		return nil, err
	}
	return &infoPort{listener: listener}, nil
}

// serve serves the pages; those of a stopped server wait at its gate.
func (p *infoPort) serve(h http.Handler, gate *rpc.Gate) {
	pages := h
	h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		gate.Wait(r.Context().Done())
		pages.ServeHTTP(w, r)
	})
	p.server = &http.Server{
		Handler: h, ReadTimeout: 10 * time.Second, WriteTimeout: 60 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16,
	}
	p.work.Go(func() { _ = p.server.Serve(p.listener) }) // returns when the server is closed
}

func (p *infoPort) close() {
	if p.server != nil {
		p.server.Close()
	}
	p.listener.Close()
	p.work.Wait()
}

func (p *infoPort) port() int { return address(p.listener).Port }

func (p *infoPort) address() string { return p.listener.Addr().String() }
