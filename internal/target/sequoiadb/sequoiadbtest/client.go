package sequoiadbtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clientWithin bounds a call of the second client; the first one may fetch the driver.
const clientWithin = 3 * time.Minute

// Count returns the number of documents of a collection, as SequoiaDB's Java driver counts them.
func (s *Server) Count(space, collection string) (int, error) {
	out, err := s.Client(space, collection, "count")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		return 0, fmt.Errorf("count by the Java driver: %w", err)
	}
	return n, nil
}

// Client runs a verb of driver/Client.java, which uses SequoiaDB's Java driver, on a collection: count, get KEY, or load ROWS.
func (s *Server) Client(space, collection string, verb ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), clientWithin)
	defer cancel()
	classpath, err := fetchDriver(ctx)
	if err != nil {
		return "", err
	}
	args := []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classpath, "Client", s.Address, s.User, s.Password, space, collection}
	cmd := exec.CommandContext(ctx, "java", append(args, verb...)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s by the Java driver: %w: %s", verb[0], err, problems.String())
	}
	return string(out), nil
}

// fetchDriver returns the class path of the client, which it compiles, and of the driver, which Maven fetches from Maven Central
// the first time.
func fetchDriver(ctx context.Context) (classpath string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache for the Java driver: %w", err)
	}
	dir := filepath.Join(cache, "benchd", "sequoiadb-driver-5.10")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("make the cache for the Java driver: %w", err)
	}
	lock, err := os.Create(filepath.Join(dir, "lock")) // tests of several packages fetch it
	if err != nil {
		return "", fmt.Errorf("lock the cache of the Java driver: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	jar := filepath.Join(dir, "sequoiadb-driver-5.10.jar")
	pom := filepath.Join(source(), "driver", "pom.xml")
	if _, err := os.Stat(jar); err != nil {
		if err := command(ctx, "mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", "-DincludeArtifactIds=sequoiadb-driver", "-DoutputDirectory="+dir); err != nil {
			return "", err
		}
	}
	classpath = dir + string(filepath.ListSeparator) + jar
	client := filepath.Join(source(), "driver", "Client.java")
	if older(filepath.Join(dir, "Client.class"), client) {
		return classpath, command(ctx, "javac", "-cp", jar, "-d", dir, client)
	}
	return classpath, nil
}

// older reports whether a file is missing, or older than its source.
func older(file, source string) bool {
	f, err := os.Stat(file)
	if err != nil {
		return true
	}
	s, err := os.Stat(source)
	return err != nil || s.ModTime().After(f.ModTime())
}

func command(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("run %s (Debian: maven, default-jdk-headless): %w: %s", name, err, out)
	}
	return nil
}
