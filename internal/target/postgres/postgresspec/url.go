package postgresspec

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/property"
)

// The values of postgres.sslmode.
const (
	SSLDisable    = "disable"
	SSLRequire    = "require"
	SSLVerifyCA   = "verify-ca"
	SSLVerifyFull = "verify-full"
)

const defaultPort = "5432"

// address is what a URL names.
type address struct {
	host, database, sslMode string
	keys                    AddressKeys
}

// checkHost accepts host[:port], with brackets around an IPv6 address that has a port.
func checkHost(value string) (string, error) {
	value = strings.TrimSpace(value)
	if strings.Contains(value, ",") {
		return "", fmt.Errorf("%s names several servers: want one, because a run measures one server", property.Quote(value))
	}
	host, port := value, defaultPort
	switch {
	case strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]"):
		host = strings.Trim(value, "[]")
	case strings.Count(value, ":") == 1 || strings.HasPrefix(value, "["):
		var err error
		if host, port, err = net.SplitHostPort(value); err != nil {
			return "", fmt.Errorf("invalid server %s: want host or host:port, with brackets around an IPv6 address", property.Quote(value))
		}
	}
	if host == "" || strings.ContainsAny(host, " /\\@?#") || property.Printable(host) != nil {
		return "", fmt.Errorf("invalid server %s: want host or host:port", property.Quote(value))
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("invalid port in %s: want 1 to 65535", property.Quote(value))
	}
	return value, nil
}

// checkName accepts the name of a database or role.
func checkName(value string) (string, error) {
	const most = 63
	if value == "" {
		return "", errors.New("is empty; remove the property, or write a name")
	}
	if len(value) > most {
		return "", fmt.Errorf("is %d bytes long; a name in PostgreSQL has at most %d", len(value), most)
	}
	return value, property.Printable(value)
}

// checkURL accepts the URL of YCSB's bindings.
func checkURL(value string) (string, error) {
	value = strings.TrimSpace(value)
	_, err := parseURL(value)
	return value, err
}

// parseURL reads jdbc:postgresql://HOST[:PORT]/DATABASE[?sslmode=MODE]. Its errors do not repeat the text: it may contain a password.
func parseURL(text string) (address, error) {
	const want = "want jdbc:postgresql://HOST[:PORT]/DATABASE[?sslmode=MODE]"
	if strings.Contains(text, ";") {
		return address{}, errors.New("names several servers, between which YCSB spreads the rows: want one; a run measures one server")
	}
	u, err := url.Parse(strings.TrimPrefix(text, "jdbc:"))
	if err != nil || u.Scheme != "postgresql" && u.Scheme != "postgres" || u.Opaque != "" {
		return address{}, errors.New("is not the URL of a PostgreSQL: " + want)
	}
	if u.User != nil {
		return address{}, errors.New("contains a user: set postgres.user, and postgres.password with a reference to the password")
	}
	a := address{host: u.Host, database: strings.TrimPrefix(u.Path, "/"), sslMode: ""}
	if a.host, err = checkHost(u.Host); err != nil {
		return address{}, err
	}
	if a.database == "" {
		return address{}, errors.New("names no database: " + want)
	}
	if a.database, err = checkName(a.database); err != nil {
		return address{}, err
	}
	err = a.parameters(u.Query())
	return a, err
}

// parameters reads the parameters of a URL. Those that only change how Java's driver works have no effect.
func (a *address) parameters(query url.Values) error {
	for name, values := range query {
		value := values[len(values)-1]
		switch name {
		case "sslmode":
			if !slices.Contains(sslModes(), value) {
				return fmt.Errorf("has an unknown sslmode: want one of %s", strings.Join(sslModes(), ", "))
			}
			a.sslMode = value
		case "ssl":
			if value != "" && value != "true" {
				return errors.New("has an unknown value of ssl: want sslmode=disable, or ssl=true")
			}
			a.sslMode = SSLVerifyFull // as in Java's driver
		case "reWriteBatchedInserts", "prepareThreshold", "preparedStatementCacheQueries", "tcpKeepAlive", "ApplicationName", "binaryTransfer", "loginTimeout":
		default:
			return fmt.Errorf("has the parameter %s, which benchd does not support: remove it", property.PrintableName(name))
		}
	}
	return nil
}

func sslModes() []string { return []string{SSLDisable, SSLRequire, SSLVerifyCA, SSLVerifyFull} }

// withPort appends the default port to a host that has none.
func withPort(host string) string {
	if h, p, err := net.SplitHostPort(host); err == nil {
		return net.JoinHostPort(h, p)
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), defaultPort)
}
