package secret

import (
	"errors"
	"path"
	"regexp"
	"strings"
)

// Ref is a reference to a secret. It is not a secret itself.
type Ref string

// Prefix begins the names of the environment variables that a reference may name.
const Prefix = "BENCHD_SECRET_"

const (
	fileScheme       = "file"
	envScheme        = "env"
	credentialScheme = "credential"
)

// ErrForm reports a text that is not a reference.
var ErrForm = errors.New("a secret is given by reference, never by its value: write file:NAME (a file in a folder that the agent releases with --secrets), " +
	"env:" + Prefix + "NAME (a variable of the agent) or credential:NAME (a credential of the agent's systemd unit); this message does not repeat the value")

// Parse checks the form of a reference. The errors do not contain the text.
func Parse(text string) (Ref, error) {
	scheme, name, ok := strings.Cut(strings.TrimSpace(text), ":")
	if !ok {
		return "", ErrForm
	}
	switch scheme {
	case fileScheme:
		if !local(name) {
			return "", errors.New("invalid reference file:…: want the path of a file in a folder of --secrets, such as file:prometheus/token or file:/etc/benchd/secrets/token, without .. and unprintable characters")
		}
		name = path.Clean(name)
	case envScheme:
		if !regexp.MustCompile(`^` + Prefix + `[A-Za-z0-9_]{1,200}$`).MatchString(name) {
			return "", errors.New("invalid reference env:…: agents release only variables whose names begin with " + Prefix + ", such as env:" + Prefix + "TOKEN")
		}
	case credentialScheme:
		if !regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}$`).MatchString(name) {
			return "", errors.New("invalid reference credential:…: want the name of a LoadCredential= of the agent's unit: letters, digits, dots, dashes and underscores, such as credential:token")
		}
	default:
		return "", ErrForm
	}
	return Ref(scheme + ":" + name), nil
}

// local reports whether a path can be one of a released file.
func local(name string) bool {
	const most = 1000
	printable := regexp.MustCompile(`^[^\p{C}\x{FFFD}\\]+$`).MatchString(name)
	return len(name) <= most && printable && name != "/" && name != "." && !strings.HasSuffix(name, "/") && !strings.Contains("/"+name+"/", "/../")
}

// split returns the parts of a reference that Parse has returned.
func (r Ref) split() (scheme, name string) {
	scheme, name, _ = strings.Cut(string(r), ":")
	return scheme, name
}
