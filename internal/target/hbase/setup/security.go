package setup

import (
	"errors"

	"github.com/benchd/benchd/internal/target/hbase/hbasespec"
)

// errNotSecured refuses connections that would be less secure than the settings say.
var errNotSecured = errors.New("the settings need Kerberos or TLS, and this client has neither")

// CheckSecurity refuses settings that the client cannot fulfil.
func CheckSecurity(s hbasespec.Settings) error {
	if s.Security.Tickets() || s.Security.Certificates() {
		return errNotSecured
	}
	return nil
}
