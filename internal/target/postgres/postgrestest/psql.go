package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Address returns host:port of the server.
func (s *Server) Address() string { return "127.0.0.1:" + strconv.Itoa(s.port) }

// URL returns the server's URL for YCSB's bindings.
func (s *Server) URL() string { return "jdbc:postgresql://" + s.Address() + "/postgres" }

// Properties returns the properties with which a run uses the server. A password is not among them.
func (s *Server) Properties() map[string]string {
	p := map[string]string{"db": "postgres", "postgres.host": s.Address()}
	if s.options.Cert != "" {
		p["postgres.sslmode"] = "require"
	}
	return p
}

// Count counts the rows of a table by psql.
func (s *Server) Count(table string) (int, error) {
	out, err := s.SQL("SELECT count(*) FROM " + table)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(out)
	if err != nil {
		return 0, fmt.Errorf("count rows of %s: psql printed %q", table, out)
	}
	return n, nil
}

// SQL executes statements by psql, and returns what it prints: rows on lines, values separated by |.
func (s *Server) SQL(statements string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	psql, err := s.psql()
	if err != nil {
		return "", err
	}
	c := exec.CommandContext(ctx, psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", strconv.Itoa(s.port), "-U", "postgres", "-d", "postgres", "-c", statements)
	c.Env = append(os.Environ(), "PGPASSWORD="+s.options.Password, "PGCONNECT_TIMEOUT=10")
	out, err := c.Output()
	if err != nil {
		message := ""
		if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output wraps nothing
			message = string(e.Stderr)
		}
		return "", fmt.Errorf("psql: %w: %s", err, strings.TrimSpace(message))
	}
	return strings.TrimSpace(string(out)), nil
}

// psql returns the client's program: that of the server's package, or an installed one.
func (s *Server) psql() (string, error) {
	if own := filepath.Join(s.bin, "psql"); exists(own) {
		return own, nil
	}
	if installed, err := exec.LookPath("psql"); err == nil {
		return installed, nil
	}
	return "", errors.New("no psql: install the package postgresql-client, with which tests count rows independently")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
