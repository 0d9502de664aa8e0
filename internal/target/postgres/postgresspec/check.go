package postgresspec

import (
	"strconv"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// check reports properties that do not fit together when PostgreSQL is the target.
func check(c descriptor.Case) {
	if table := c.Value("table"); c.Sound("table") && table != "" {
		if _, err := ParseTable(table); err != nil {
			c.Fail("table", "%s", err)
		}
	}
	checkFields(c)
	if c.Sound(urlKey) && c.Value(urlKey) != "" {
		at, err := parseURL(c.Value(urlKey))
		if err == nil && at.sslMode != "" && c.Changed(sslModeKey) && c.Value(sslModeKey) != at.sslMode {
			c.Fail(sslModeKey, "%s contradicts sslmode=%s of %s; set only one of them", c.Value(sslModeKey), at.sslMode, urlKey)
		}
	}
	if c.Sound(unloggedKey, commitKey) && c.Value(unloggedKey) == "true" && c.Value(commitKey) != "" && c.Value(commitKey) != "off" {
		c.Warn(commitKey, "has no effect on the rows of a table that is UNLOGGED (%s)", unloggedKey)
	}
	for _, name := range []string{fillFactorKey, unloggedKey} {
		if c.Changed(name) && c.Sound(createKey) && (c.Value(createKey) == string(descriptor.CreateNever) || c.Value(createKey) == "" && c.Value("phase") == "run") {
			c.Warn(name, "has no effect: the run creates no table (%s)", createKey)
		}
	}
}

// checkFields reports names of fields that cannot be columns.
func checkFields(c descriptor.Case) {
	prefix := c.Value("fieldnameprefix")
	if !c.Sound("fieldnameprefix", "fieldcount", formKey) {
		return
	}
	for i, r := range prefix {
		if !letter(r) && (i == 0 || r < '0' || r > '9') {
			c.Fail("fieldnameprefix", "%s cannot begin the name of a column: want letters, digits and _", property.Quote(prefix))
			return
		}
	}
	if n := len(prefix) + len(c.Value("fieldcount")); n > longestName {
		c.Fail("fieldnameprefix", "makes names of %d bytes; a name in PostgreSQL has at most %d", n, longestName)
	}
	const columns = 1500 // 1600, less those that updates of a table have dropped
	if n, err := strconv.Atoi(c.Value("fieldcount")); err == nil && n > columns && c.Value(formKey) == FormColumns {
		c.Fail("fieldcount", "%d fields are more columns than a table of PostgreSQL can have; use at most %d, or %s=%s", n, columns, formKey, FormJSONB)
	}
}
