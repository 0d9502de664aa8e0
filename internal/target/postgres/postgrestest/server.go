package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/benchd/benchd/internal/freeport"
)

// startsWithin is the time limit of a start, and of a stop.
const startsWithin = time.Minute

// Options are the options of a server. The zero value is a server without TLS that trusts its clients.
type Options struct {
	// Version is that of fetched binaries, such as 13.22.0. By default the installed server is used.
	Version string
	// Password is the password of user postgres, by SCRAM. Empty trusts all clients.
	Password string
	// Cert and Key are files of TLS. With them, connections without TLS are refused.
	Cert, Key string
	// Settings are further lines of postgresql.conf.
	Settings map[string]string
}

// Server is a running PostgreSQL.
type Server struct {
	bin, dir string
	port     int
	options  Options
	as       *syscall.Credential // nil for the user of this process

	process *exec.Cmd
	log     string // file
	exited  chan error
}

// Start creates a cluster in dir, and starts a server on it.
func Start(ctx context.Context, dir string, o Options) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute) // programs may have to be fetched
	defer cancel()
	bin, err := Binaries(ctx, o.Version)
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: filepath.Join(dir, "postgres"), options: o, log: filepath.Join(dir, "postgres.log")}
	if s.as, err = unprivileged(); err != nil {
		return nil, err
	}
	if s.port, err = freeport.Take(); err != nil {
		return nil, err
	}
	if err := s.create(ctx); err != nil {
		return nil, err
	}
	err = s.Restart(ctx)
	return s, err
}

// unprivileged returns the user of the server if this process is root's.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // the server runs as this process does
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUser := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGroup := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: true}, errors.Join(errUser, errGroup)
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}

// command returns a program of the server, or one with an absolute path, as the server's user.
func (s *Server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.bin, name)
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = s.dir
	c.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=" + s.dir}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.as, Setpgid: true}
	return c
}

// create creates the cluster's files.
func (s *Server) create(ctx context.Context) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("create folder of PostgreSQL: %w", err)
	}
	password := filepath.Join(s.dir, "password")
	if err := os.WriteFile(password, []byte(s.options.Password+"\n"), 0o600); err != nil {
		return fmt.Errorf("create folder of PostgreSQL: %w", err)
	}
	if err := s.own(s.dir, password); err != nil {
		return err
	}
	args := []string{"-D", s.data(), "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"}
	if s.options.Password != "" {
		args = append(args, "--pwfile="+password, "-A", "scram-sha-256") // the password is stored for it, also by versions whose default is md5
	} else {
		args = append(args, "-A", "trust")
	}
	if out, err := s.command(ctx, "initdb", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s.configure()
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// own gives files to the server's user.
func (s *Server) own(files ...string) error {
	if s.as == nil {
		return nil
	}
	for _, file := range files {
		if err := os.Chown(file, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return fmt.Errorf("give a file to the server's user: %w", err)
		}
	}
	return nil
}

// configure writes the configuration.
func (s *Server) configure() error {
	settings := map[string]string{
		"listen_addresses": "127.0.0.1", "port": strconv.Itoa(s.port), "unix_socket_directories": "", "log_min_messages": "log",
		"shared_buffers": "128MB", "max_connections": "100", "logging_collector": "off", "lc_messages": "C", "password_encryption": "scram-sha-256",
	}
	method, kind := "trust", "host"
	if s.options.Password != "" {
		method = "scram-sha-256"
	}
	if s.options.Cert != "" {
		kind = "hostssl"
		for name, from := range map[string]string{"server.crt": s.options.Cert, "server.key": s.options.Key} {
			content, err := os.ReadFile(from)
			if err != nil {
				return fmt.Errorf("read certificate: %w", err)
			}
			to := filepath.Join(s.data(), name)
			if err := errors.Join(os.WriteFile(to, content, 0o600), s.own(to)); err != nil {
				return fmt.Errorf("write certificate: %w", err)
			}
		}
		settings["ssl"] = "on"
	}
	maps.Copy(settings, s.options.Settings)
	var b strings.Builder
	for name, value := range settings {
		b.WriteString(name + " = '" + value + "'\n")
	}
	err := os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), []byte(kind+" all,replication all 127.0.0.1/32 "+method+"\n"), 0o600)
	err = errors.Join(err, os.WriteFile(filepath.Join(s.data(), "postgresql.auto.conf"), []byte(b.String()), 0o600))
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return s.own(filepath.Join(s.data(), "pg_hba.conf"), filepath.Join(s.data(), "postgresql.auto.conf"))
}

// Restart starts the server after Stop or Kill, and returns when it accepts connections.
func (s *Server) Restart(ctx context.Context) error {
	log, err := os.Create(s.log)
	if err != nil {
		return fmt.Errorf("create log: %w", err)
	}
	defer func() { _ = log.Close() }()
	s.process = s.command(context.WithoutCancel(ctx), "postgres", "-D", s.data())
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	s.exited = make(chan error, 1)
	process, exited := s.process, s.exited
	go func() { exited <- process.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startsWithin)
	defer cancel()
	for tick := time.Tick(20 * time.Millisecond); ; {
		if content, err := os.ReadFile(s.log); err == nil && bytes.Contains(content, []byte("is ready to accept connections")) {
			return nil
		}
		select {
		case err := <-exited:
			exited <- err
			return fmt.Errorf("PostgreSQL ended: %w: %s", err, s.Log())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("PostgreSQL did not start: %w: %s", ctx.Err(), s.Log()), s.Kill())
		case <-tick:
		}
	}
}

// Log returns what the server has logged since its start.
func (s *Server) Log() string {
	content, _ := os.ReadFile(s.log)
	return string(content)
}

// Stop stops the server: it ends its connections, and writes a checkpoint.
func (s *Server) Stop() error {
	if s.process == nil {
		return nil
	}
	if err := s.process.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop PostgreSQL: %w", err)
	}
	select {
	case <-s.exited:
		s.process = nil
		return nil
	case <-time.After(startsWithin):
		return errors.Join(errors.New("PostgreSQL did not stop"), s.Kill())
	}
}

// Kill kills the server and its children, as the death of the machine would.
func (s *Server) Kill() error {
	if s.process == nil {
		return nil
	}
	pid := s.process.Process.Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil { // it starts no more children
		return fmt.Errorf("stop postmaster: %w", err)
	}
	late := time.After(startsWithin)
	tick := time.Tick(5 * time.Millisecond)
	for !stopped(pid) { // until then it may be starting one
		select {
		case <-tick:
		case <-late:
			return fmt.Errorf("postmaster %d does not stop", pid)
		}
	}
	all := children(pid)
	for _, one := range append(all, pid) {
		if err := syscall.Kill(one, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill PostgreSQL: %w", err)
		}
	}
	<-s.exited
	s.process = nil
	for len(alive(all)) > 0 {
		select {
		case <-tick:
		case <-late:
			return fmt.Errorf("processes %v of PostgreSQL survived SIGKILL", alive(all))
		}
	}
	return nil
}

// stat returns the state of a process, as in /proc, and its parent; an empty state if it does not exist.
func stat(pid int) (state string, parent int) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", 0
	}
	_, rest, _ := strings.Cut(string(content), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[0], parent
}

// stopped is true for a process that has stopped by SIGSTOP, and for one that has ended.
func stopped(pid int) bool {
	state, _ := stat(pid)
	return state == "T" || state == "Z" || state == ""
}

// children lists the processes whose parent is pid.
func children(pid int) []int {
	var all []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		one, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if _, parent := stat(one); parent == pid {
			all = append(all, one)
		}
	}
	return all
}

// alive lists the processes that still exist, other than zombies.
func alive(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		state, _ := stat(pid)
		return state == "" || state == "Z"
	})
}
