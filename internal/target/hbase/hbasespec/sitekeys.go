package hbasespec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/secret"
)

// siteCredential returns the keytab, the principal and the stores of certificates that files of a client's configuration name.
func siteCredential(files []descriptor.SiteFile) (credential.Config, error) {
	c, err := readConf(files)
	if err != nil {
		return credential.Config{}, err
	}
	values := make(map[string]string)
	for _, key := range agentKeys() {
		i, ok := c.effective[key]
		if !ok {
			continue
		}
		p := c.properties[i]
		value, ok := c.expand(p.value)
		if !ok {
			return credential.Config{}, named(files[p.file].Name, fmt.Errorf("line %d: %s names a variable that these files do not set", p.line, key))
		}
		values[key] = value
	}
	var out credential.Config
	if values[keytabKey] != "" {
		out.Kerberos = credential.Kerberos{Keytab: values[keytabKey], Principal: values[keytabPrincipalKey]}
	}
	keys, trust := keyStoreKey+".location", trustStoreKey+".location"
	for _, key := range []string{keys, trust} {
		if err := readable(values[key], values[strings.TrimSuffix(key, ".location")+".type"]); err != nil {
			return credential.Config{}, fmt.Errorf("%s=%s: %w", key, values[key], err)
		}
	}
	out.TLS = credential.TLS{
		Cert: values[keys], Password: secret.NewValue(values[keyStoreKey+".password"]),
		CA: values[trust], CAPassword: secret.NewValue(values[trustStoreKey+".password"]),
	}
	return out, nil
}

// readable refuses stores in the formats that only Java reads, by the type or, without one, by the ending, as HBase decides.
func readable(path, kind string) error {
	if path == "" {
		return nil
	}
	if kind == "" {
		kind = strings.TrimPrefix(filepath.Ext(path), ".")
	}
	if kind = strings.ToUpper(kind); slices.Contains([]string{"JKS", "BCFKS"}, kind) {
		return credential.Unsupported(path, kind) //nolint:wrapcheck // the caller names the setting
	}
	return nil
}
