package watch

import "strings"

// cure returns the setting that a client lacks whose request for a page fails so, with a separator. It is empty for other errors.
func cure(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "status 401"):
		return "; set hbase.security.authentication.ui=kerberos"
	case strings.Contains(text, "malformed HTTP"), strings.Contains(text, "status 400"): // of HBase, and of Go
		return "; set hbase.ssl.enabled=true"
	case strings.Contains(text, "HTTPS client"):
		return "; set hbase.ssl.enabled=false"
	}
	return ""
}
