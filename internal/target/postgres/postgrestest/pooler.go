package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/benchd/benchd/internal/freeport"
)

// Pooler is a running PgBouncer in front of a server. Its databases session, transaction and statement are the server's database postgres, and
// their names are their pool_mode.
type Pooler struct {
	address string
	process *exec.Cmd
	exited  chan error
}

// StartPooler starts PgBouncer in front of a server that trusts its clients.
func StartPooler(ctx context.Context, s *Server) (*Pooler, error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer") // where Debian has it
	}
	if err != nil {
		return nil, fmt.Errorf("pgbouncer is missing: install it, as make test-integration does: %w", err)
	}
	port, err := freeport.Take()
	if err != nil {
		return nil, err
	}
	var settings strings.Builder
	settings.WriteString("[databases]\n")
	for _, mode := range []string{"session", "transaction", "statement"} {
		fmt.Fprintf(&settings, "%s = host=127.0.0.1 port=%d dbname=postgres pool_mode=%[1]s\n", mode, s.port)
	}
	users, file := filepath.Join(s.dir, "pooler-users.txt"), filepath.Join(s.dir, "pooler.ini")
	fmt.Fprintf(&settings, "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = trust\nauth_file = %s\n", port, users)
	err = errors.Join(
		os.WriteFile(users, []byte(`"postgres" ""`+"\n"), 0o600),
		os.WriteFile(file, []byte(settings.String()), 0o600),
	)
	if err == nil {
		err = s.own(users, file)
	}
	if err != nil {
		return nil, fmt.Errorf("write configuration of PgBouncer: %w", err)
	}
	p := &Pooler{address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), exited: make(chan error, 1)}
	log, err := os.Create(filepath.Join(s.dir, "pooler.log"))
	if err != nil {
		return nil, fmt.Errorf("create log: %w", err)
	}
	defer func() { _ = log.Close() }()
	p.process = s.command(context.WithoutCancel(ctx), program, file)
	p.process.Stdout, p.process.Stderr = log, log
	if err := p.process.Start(); err != nil {
		return nil, fmt.Errorf("start PgBouncer: %w", err)
	}
	go func() { p.exited <- p.process.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startsWithin)
	defer cancel()
	for tick := time.Tick(20 * time.Millisecond); ; {
		logged, _ := os.ReadFile(log.Name())
		if bytes.Contains(logged, []byte("process up")) {
			return p, nil
		}
		select {
		case err := <-p.exited:
			return nil, fmt.Errorf("PgBouncer ended: %w: %s", err, logged)
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("PgBouncer did not start: %w", ctx.Err()), p.Stop())
		case <-tick:
		}
	}
}

// Address is host and port.
func (p *Pooler) Address() string { return p.address }

// Stop ends PgBouncer and its connections at once.
func (p *Pooler) Stop() error {
	if err := p.process.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop PgBouncer: %w", err)
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(startsWithin):
		return errors.Join(errors.New("PgBouncer did not stop"), p.process.Process.Kill())
	}
}
