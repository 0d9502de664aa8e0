// Package cassandratest starts a real Cassandra for tests, from Maven Central and on free ports of 127.0.0.1, and counts rows by cqlsh,
// from PyPI. Java 17, Maven and Python 3 are needed. Only tests import it.
package cassandratest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/benchd/benchd/internal/freeport"
)

// Version is the version of Cassandra that Start starts.
const Version = "5.0.9"

const (
	// readyWithin bounds a start. A busy machine needs a minute.
	readyWithin = 2 * time.Minute
	// stopWithin bounds an orderly stop.
	stopWithin = 30 * time.Second
	// ready is what the log has when clients can connect.
	ready = "Starting listening for CQL clients"
)

// Options are the options of a server.
type Options struct {
	Password bool // clients need a password; the user cassandra has the password cassandra
	TLS      bool // clients need TLS
	Jolokia  bool // JMX over HTTP
	Heap     string
	Settings map[string]string // of cassandra.yaml, over the default ones; an empty value leaves one out
}

// Server is a running Cassandra with one node.
type Server struct {
	Port        int
	StoragePort int
	JolokiaPort int    // 0 without Jolokia
	CA          string // a file with the authority of the certificate; empty without TLS

	options Options
	dir     string
	jars    string
	jolokia string

	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{}
}

// Start starts a server whose files are below dir.
func Start(ctx context.Context, dir string, o Options) (*Server, error) {
	s := &Server{options: o, dir: dir}
	if o.Heap == "" {
		s.options.Heap = "512M"
	}
	var err error
	if s.jars, s.jolokia, err = fetch(ctx); err != nil {
		return nil, err
	}
	for _, port := range []*int{&s.Port, &s.StoragePort, &s.JolokiaPort} {
		if *port, err = freeport.Take(); err != nil {
			return nil, err
		}
	}
	if !o.Jolokia {
		s.JolokiaPort = 0
	}
	if o.TLS {
		if s.CA, err = certificate(dir); err != nil {
			return nil, err
		}
	}
	if err := s.configure(); err != nil {
		return nil, err
	}
	if err := s.Restart(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Restart starts a server that was killed or stopped, on the same ports and with its data. It returns when clients can connect.
func (s *Server) Restart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		return errors.New("start Cassandra: it runs already")
	}
	log, err := os.OpenFile(s.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("start Cassandra: %w", err)
	}
	defer func() { _ = log.Close() }()
	before, err := log.Seek(0, 2)
	if err != nil {
		return fmt.Errorf("start Cassandra: %w", err)
	}
	p := exec.Command("java", s.arguments()...) //nolint:noctx // it outlives the call
	p.Stdout, p.Stderr, p.Dir = log, log, s.dir
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := p.Start(); err != nil {
		return fmt.Errorf("start Cassandra: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.Wait()
	}()
	s.process, s.ended = p, ended
	if err := s.await(ctx, before); err != nil {
		s.end(syscall.SIGKILL)
		return err
	}
	return nil
}

// await waits until the log has the line that reports readiness.
func (s *Server) await(ctx context.Context, from int64) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		content, err := os.ReadFile(s.LogFile())
		if err != nil {
			return fmt.Errorf("start Cassandra: %w", err)
		}
		if strings.Contains(string(content[min(from, int64(len(content))):]), ready) {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("start Cassandra: it has ended: %s", tail(content))
		case <-ctx.Done():
			return fmt.Errorf("start Cassandra: %w: %s", ctx.Err(), tail(content))
		case <-tick.C:
		}
	}
}

// tail returns the end of a log.
func tail(log []byte) string {
	const most = 3000
	return string(log[max(0, len(log)-most):])
}

// LogFile returns the name of the server's log.
func (s *Server) LogFile() string { return filepath.Join(s.dir, "cassandra.log") }

// Kill ends the server at once, as a crash of its process does, and returns when it is gone.
func (s *Server) Kill() { s.finish(syscall.SIGKILL) }

// Stop ends the server in order.
func (s *Server) Stop() { s.finish(syscall.SIGTERM) }

// Pause stops the server's process with SIGSTOP, and Continue lets it go on.
func (s *Server) Pause() error { return s.signal(syscall.SIGSTOP) }

// Continue lets a paused server go on.
func (s *Server) Continue() error { return s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return errors.New("signal Cassandra: it does not run")
	}
	return s.process.Process.Signal(sig)
}

func (s *Server) finish(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(sig)
}

func (s *Server) end(sig syscall.Signal) {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(sig)
	limit := time.NewTimer(stopWithin)
	defer limit.Stop()
	select {
	case <-s.ended:
	case <-limit.C:
		_ = s.process.Process.Kill()
		<-s.ended
	}
	s.process = nil
}

// Properties returns the properties of a run with which it uses the server.
func (s *Server) Properties() map[string]string {
	p := map[string]string{"db": "cassandra", "hosts": "127.0.0.1", "port": strconv.Itoa(s.Port)}
	if s.options.Password {
		p["cassandra.username"], p["cassandra.password"] = "cassandra", PasswordRef
	}
	if s.options.TLS {
		p["cassandra.useSSL"] = "true"
	}
	if s.JolokiaPort > 0 {
		p["cassandra.jolokia.port"] = strconv.Itoa(s.JolokiaPort)
	}
	return p
}

// PasswordRef is the reference to the password in Properties, and Password is the password, which tests release under that name.
const (
	PasswordRef = "env:BENCHD_SECRET_CASSANDRA"
	Password    = "cassandra"
)
