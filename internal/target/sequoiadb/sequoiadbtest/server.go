package sequoiadbtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Options configure the scripted server.
type Options struct {
	User, Password string // without a user anybody is accepted
	SCRAM          bool   // authenticate by SCRAM-SHA-256 in place of MD5
	Page           int    // documents of an answer; 0 is the server's default
}

// Server is a running server.
type Server struct {
	Address        string // HOST:PORT
	User, Password string

	dir, program string
	options      Options
	process      *exec.Cmd
	log          *os.File
}

// startWithin bounds how long the server takes to start.
const startWithin = 30 * time.Second

// Running returns the SequoiaDB that serves at HOST:PORT. Tests do not stop it.
func Running(address, user, password string) *Server {
	return &Server{Address: address, User: user, Password: password}
}

// Start starts the scripted server on a free port of 127.0.0.1, with its files in dir.
func Start(ctx context.Context, dir string, o Options) (*Server, error) {
	s := &Server{Address: "127.0.0.1:0", User: o.User, Password: o.Password, dir: dir, options: o, program: filepath.Join(dir, "scripted")}
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", s.program, "./scripted/program")
	build.Dir = source()
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the scripted server: %w: %s", err, out)
	}
	if err := s.Restart(); err != nil {
		return nil, err
	}
	return s, nil
}

// source is the folder of this package.
func source() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// Restart starts the server again on its port and journal, and returns when it serves.
func (s *Server) Restart() error {
	if s.process != nil {
		return errors.New("restart the scripted server: it is running")
	}
	args := []string{"--listen", s.Address, "--journal", filepath.Join(s.dir, "journal")}
	if o := s.options; o.User != "" {
		args = append(args, "--user", o.User, "--password", o.Password, fmt.Sprintf("--scram=%t", o.SCRAM))
	}
	if n := s.options.Page; n > 0 {
		args = append(args, "--page", strconv.Itoa(n))
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	cmd := exec.CommandContext(context.Background(), s.program, args...) // it ends by Stop or Kill
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("start the scripted server: %w", err), log.Close())
	}
	s.process, s.log = cmd, log
	address, err := serving(out)
	if err != nil {
		return errors.Join(err, s.Kill())
	}
	s.Address = address
	return nil
}

// serving returns the address that the server prints when it serves.
func serving(out io.Reader) (string, error) {
	lines := make(chan string, 1)
	go func() { // it ends with the process
		line, _ := bufio.NewReader(out).ReadString('\n')
		lines <- line
	}()
	select {
	case line := <-lines:
		if address, is := strings.CutPrefix(strings.TrimSpace(line), "serving "); is {
			return address, nil
		}
		return "", fmt.Errorf("start the scripted server: it printed %q", line)
	case <-time.After(startWithin):
		return "", fmt.Errorf("start the scripted server: it does not serve within %s", startWithin)
	}
}

// Kill ends the process at once, by signal 9.
func (s *Server) Kill() error { return s.end(os.Kill) }

// Stop ends the process, and reports frames of clients that broke the protocol. A real server goes on.
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		return err
	}
	log, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return fmt.Errorf("read log of the scripted server: %w", err)
	}
	if strings.Contains(string(log), "violation") {
		return fmt.Errorf("frames broke the protocol: %s", log)
	}
	return nil
}

func (s *Server) end(signal os.Signal) error {
	if s.process == nil {
		return errors.New("end the scripted server: it is not running")
	}
	err := s.process.Process.Signal(signal)
	_ = s.process.Wait() // its exit code is that of the signal
	s.process = nil
	return errors.Join(err, s.log.Close())
}

// Properties returns the properties with which benchd connects to the server. Password is the reference to the user's password,
// which needs a secret of the agent.
func (s *Server) Properties(password string) map[string]string {
	p := map[string]string{"sequoiadb.url": s.Address}
	if s.User != "" {
		p["sequoiadb.user"], p["sequoiadb.passwd"] = s.User, password
	}
	return p
}
