// Package mongodbtest starts servers of MongoDB's protocol for tests: FerretDB as a process of its own, and a scripted server for what
// FerretDB lacks.
package mongodbtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/benchd/benchd/internal/freeport"
	"github.com/benchd/benchd/internal/outbound"
)

const (
	startWithin = 30 * time.Second
	stopWithin  = 20 * time.Second
	// pollEvery is how often a starting server is asked.
	pollEvery = 20 * time.Millisecond
	// database is the database of Properties.
	database = "ycsb"
)

// Options are the options of a server. The zero value is a standalone server without users and TLS.
type Options struct {
	ReplicaSet     string // the name of the replica set that it says it is
	User, Password string // it needs authentication by SCRAM
	CertFile       string // it speaks TLS only, with this certificate
	KeyFile        string
	CAFile         string // clients need a certificate of this authority
}

// Server is a FerretDB with its SQLite back end.
type Server struct {
	program, dir string
	address      string
	options      Options
	process      *exec.Cmd
	ended        chan struct{} // closed when the process has ended
}

// Start builds FerretDB if that was not done before, and starts it on a free port of 127.0.0.1 with its files below dir.
func Start(ctx context.Context, dir string, o Options) (*Server, error) {
	program, err := build(ctx)
	if err != nil {
		return nil, err
	}
	address, err := freeport.Address()
	if err != nil {
		return nil, err
	}
	s := &Server{program: program, dir: dir, address: address, options: o}
	if o.User != "" {
		if err := s.createUser(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.Restart(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// createUser starts the server once without authentication of other users, which is how FerretDB gets its first user.
func (s *Server) createUser(ctx context.Context) error {
	options := s.options
	defer func() { s.options = options }()
	s.options = Options{User: options.User, Password: options.Password}
	if err := s.launch("--setup-database=admin", "--setup-username="+options.User, "--setup-password="+options.Password); err != nil {
		return err
	}
	return errors.Join(s.ready(ctx), s.Stop())
}

// Restart starts a server that has stopped, on the same port and files. It returns when the server answers.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.launch(); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return errors.Join(err, s.Kill())
	}
	return nil
}

func (s *Server) launch(more ...string) error {
	data := filepath.Join(s.dir, "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("make the folder of FerretDB: %w", err)
	}
	args := append([]string{
		"--handler=sqlite", "--sqlite-url=file:" + data + "/", "--state-dir=" + s.dir, "--telemetry=disable", "--debug-addr=-",
		"--log-level=WARN", "--repl-set-name=" + s.options.ReplicaSet,
	}, more...)
	if s.options.User != "" {
		args = append(args, "--test-enable-new-auth")
	}
	if s.options.CertFile == "" {
		args = append(args, "--listen-addr="+s.address)
	} else {
		args = append(args, "--listen-addr=", "--listen-tls="+s.address, "--listen-tls-cert-file="+s.options.CertFile, "--listen-tls-key-file="+s.options.KeyFile)
		if s.options.CAFile != "" {
			args = append(args, "--listen-tls-ca-file="+s.options.CAFile)
		}
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "ferretdb.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of FerretDB: %w", err)
	}
	defer func() { _ = log.Close() }()
	process := exec.CommandContext(context.Background(), s.program, args...) // it ends by Stop or Kill
	process.Stdout, process.Stderr, process.Dir = log, log, s.dir
	if err := process.Start(); err != nil {
		return fmt.Errorf("start FerretDB: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait()
		close(ended)
	}()
	s.process, s.ended = process, ended
	return nil
}

// ready waits until the server accepts connections.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		conn, err := outbound.Any().DialContext(ctx, "tcp", s.address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-s.ended:
			log, _ := os.ReadFile(filepath.Join(s.dir, "ferretdb.log"))
			return fmt.Errorf("FerretDB has ended: %s", log)
		case <-ctx.Done():
			return fmt.Errorf("wait for FerretDB: %w", err)
		case <-time.After(pollEvery):
		}
	}
}

// Stop ends the server as its administrator does.
func (s *Server) Stop() error { return s.signal(syscall.SIGTERM) }

// Kill ends the server as kill -9 does.
func (s *Server) Kill() error { return s.signal(syscall.SIGKILL) }

func (s *Server) signal(signal syscall.Signal) error {
	select {
	case <-s.ended:
		return nil
	default:
	}
	if err := s.process.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end FerretDB: %w", err)
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopWithin):
		_ = s.process.Process.Kill()
		<-s.ended
		return fmt.Errorf("FerretDB did not end within %s of signal %s", stopWithin, signal)
	}
}

// Address returns the server's HOST:PORT.
func (s *Server) Address() string { return s.address }

// Pid returns the id of the server's process.
func (s *Server) Pid() int { return s.process.Process.Pid }

// URL returns a connection string for the server, without a user.
func (s *Server) URL() string {
	separator := "?"
	url := "mongodb://" + s.address + "/" + database
	add := func(option string) {
		url += separator + option
		separator = "&"
	}
	if s.options.ReplicaSet != "" {
		add("directConnection=true") // FerretDB lists no members
	}
	if s.options.CertFile != "" {
		add("tls=true")
	}
	return url
}

// Properties returns the properties of a run on the server. The password is not among them.
func (s *Server) Properties() map[string]string {
	properties := map[string]string{"db": "mongodb", "mongodb.url": s.URL()}
	if s.options.User != "" {
		properties["mongodb.user"] = s.options.User
	}
	return maps.Clone(properties)
}

// Drop deletes a collection by a client of its own.
func (s *Server) Drop(ctx context.Context, collection string) error {
	c, err := mongo.Connect(options.Client().ApplyURI(s.URL()).SetServerSelectionTimeout(startWithin))
	if err != nil {
		return fmt.Errorf("connect to FerretDB: %w", err)
	}
	defer func() { _ = c.Disconnect(context.WithoutCancel(ctx)) }()
	if err := c.Database(database).RunCommand(ctx, bson.D{{Key: "drop", Value: collection}}).Err(); err != nil {
		return fmt.Errorf("drop %s: %w", collection, err)
	}
	return nil
}
