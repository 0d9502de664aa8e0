package cassandratest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// clientWithin bounds a call of cqlsh, whose Python starts slowly on a busy machine.
const clientWithin = 2 * time.Minute

// CQL executes a statement by cqlsh and returns what it prints.
func (s *Server) CQL(ctx context.Context, stmt string) (string, error) {
	program, err := cqlsh(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, clientWithin)
	defer cancel()
	args := []string{"127.0.0.1", strconv.Itoa(s.Port), "--no-color", "--connect-timeout=30", "--request-timeout=60"}
	if s.options.Password {
		args = append(args, "-u", "cassandra", "-p", Password)
	}
	p := exec.CommandContext(ctx, program, append(args, "-e", stmt)...)
	p.Env = append(os.Environ(), variable("HOME", s.dir))
	if s.options.TLS {
		p.Args = append(p.Args, "--ssl")
		p.Env = append(p.Env, variable("SSL_CERTFILE", s.CA), variable("SSL_VALIDATE", "true"))
	}
	var out, warnings bytes.Buffer
	p.Stdout, p.Stderr = &out, &warnings
	if err := p.Run(); err != nil {
		return "", fmt.Errorf("run cqlsh: %w: %s", err, tail(warnings.Bytes()))
	}
	return out.String(), nil
}

// Count counts the rows of a table, KEYSPACE.TABLE, by cqlsh.
func (s *Server) Count(ctx context.Context, table string) (int, error) {
	out, err := s.CQL(ctx, "SELECT count(*) FROM "+table)
	if err != nil {
		return 0, err
	}
	found := regexp.MustCompile(`(?m)^\s+(\d+)\s*$`).FindStringSubmatch(out)
	if found == nil {
		return 0, errors.New("count rows by cqlsh: no number in " + out)
	}
	return strconv.Atoi(found[1])
}

// variable returns a variable of the environment of cqlsh.
func variable(name, value string) string { return name + "=" + value }
