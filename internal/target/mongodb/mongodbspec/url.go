package mongodbspec

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/benchd/benchd/internal/property"
	"github.com/benchd/benchd/internal/suggest"
)

// URL is a connection string without its password.
type URL struct {
	SRV      bool     // the servers are those that DNS names
	Hosts    []string // host:port, or with SRV one name
	User     string
	Database string // empty if it names none
	options  map[string]string
}

const (
	scheme    = "mongodb://"
	srvScheme = "mongodb+srv://"
	plainPort = "27017"
)

var errPassword = errors.New("contains a password, and properties are archived with the results: write mongodb://HOST:PORT/DATABASE, and give the user with mongodb.user=NAME and the password with mongodb.password=file:NAME (a reference to a secret of the agents); this message does not repeat the value")

// parseURL reads a connection string. The errors never contain a password.
func parseURL(text string) (URL, error) {
	u := URL{options: make(map[string]string)}
	rest, ok := strings.CutPrefix(text, scheme)
	if !ok {
		if rest, ok = strings.CutPrefix(text, srvScheme); !ok {
			return u, errors.New("invalid connection string: want mongodb://HOST:PORT,HOST:PORT/DATABASE?OPTION=VALUE, or mongodb+srv://HOST/DATABASE?OPTION=VALUE")
		}
		u.SRV = true
	}
	rest, query, _ := strings.Cut(rest, "?")
	at := strings.LastIndexByte(rest, '@')
	if at >= 0 {
		user, _, hasPassword := strings.Cut(rest[:at], ":")
		if hasPassword {
			return u, errPassword
		}
		name, err := url.PathUnescape(user)
		if err != nil || name == "" {
			return u, errors.New("invalid user before @: write it with mongodb.user=NAME instead")
		}
		u.User, rest = name, rest[at+1:]
	}
	hosts, database, _ := strings.Cut(rest, "/")
	if err := setHosts(&u, hosts); err != nil {
		return u, err
	}
	name, err := url.PathUnescape(database)
	if err != nil || checkDatabase(name) != nil {
		return u, fmt.Errorf("invalid database %s: want a name without /, \\, ., \", $ and spaces", property.Quote(database))
	}
	u.Database = name
	err = setOptions(&u, query)
	return u, err
}

// setHosts reads the servers.
func setHosts(u *URL, text string) error {
	for host := range strings.SplitSeq(text, ",") {
		address := host
		if _, _, err := net.SplitHostPort(host); err != nil {
			address = net.JoinHostPort(strings.Trim(host, "[]"), plainPort)
		}
		name, port, err := net.SplitHostPort(address)
		n, portErr := strconv.ParseUint(port, 10, 16)
		switch {
		case err != nil || name == "" || strings.ContainsAny(name, " /\\@?#%"):
			return fmt.Errorf("invalid host %s: want HOST or HOST:PORT, separated by commas", property.Quote(host))
		case portErr != nil || n == 0:
			return fmt.Errorf("invalid port in %s: want 1 to 65535", property.Quote(host))
		case u.SRV && (len(u.Hosts) > 0 || strings.Contains(host, ":")):
			return fmt.Errorf("invalid host %s: want one name without a port after mongodb+srv://", property.Quote(text))
		case u.SRV:
			address = host
		}
		u.Hosts = append(u.Hosts, address)
	}
	return nil
}

// checkDatabase accepts the empty name, which is the default.
func checkDatabase(name string) error {
	const most = 63
	if strings.ContainsAny(name, "/\\. \"$\x00") || len(name) > most {
		return errors.New("invalid database name")
	}
	return nil
}

// setOptions reads the options.
func setOptions(u *URL, query string) error {
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		value, err := url.QueryUnescape(value)
		if err != nil || property.Printable(value) != nil {
			return fmt.Errorf("invalid value of option %s", property.PrintableName(name))
		}
		o, ok := options()[strings.ToLower(name)]
		if !ok {
			return unknownOption(name)
		}
		if o.refused != "" {
			return fmt.Errorf("option %s: %s", o.name, o.refused)
		}
		if o.check != nil {
			if err := o.check(value); err != nil {
				return fmt.Errorf("option %s: %w", o.name, err)
			}
		}
		if before, twice := u.options[o.name]; twice && before != value {
			return fmt.Errorf("option %s has two values", o.name)
		}
		u.options[o.name] = value
	}
	return nil
}

func unknownOption(name string) error {
	var names []string
	for _, o := range options() {
		names = append(names, o.name)
	}
	meant := ""
	if near := suggest.Nearest(name, slices.Sorted(slices.Values(names))); near != "" {
		meant = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("unknown option %s%s", property.PrintableName(name), meant)
}

// Option returns an option by its name in MongoDB's documentation; empty if it is not set.
func (u URL) Option(name string) string { return u.options[name] }

// withDefault sets an option that is not set.
func (u URL) withDefault(name, value string) URL {
	if u.options[name] == "" {
		u.options = maps.Clone(u.options)
		u.options[name] = value
	}
	return u
}

// String returns the connection string without the user and without what benchd sets itself.
func (u URL) String() string {
	var b strings.Builder
	b.WriteString(map[bool]string{true: srvScheme, false: scheme}[u.SRV])
	b.WriteString(strings.Join(u.Hosts, ","))
	b.WriteString("/" + url.PathEscape(u.Database))
	separator := "?"
	for _, name := range slices.Sorted(maps.Keys(u.options)) {
		if options()[strings.ToLower(name)].idle != "" {
			continue
		}
		b.WriteString(separator + name + "=" + url.QueryEscape(u.options[name]))
		separator = "&"
	}
	return b.String()
}

// checkURL accepts a connection string.
func checkURL(value string) (string, error) {
	value = strings.TrimSpace(value)
	if _, err := parseURL(value); err != nil {
		return "", err
	}
	return value, nil
}
