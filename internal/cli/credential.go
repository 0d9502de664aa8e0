package cli

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/credential"
	"github.com/benchd/benchd/internal/secret"
)

// CredentialFlags are what the operator of a process gives it to prove itself to targets.
type CredentialFlags struct {
	config       credential.Config
	password     string // the file with it
	passwordOfCA string
	sites        *SiteFlags
}

// AddCredentialFlags adds the flags to a command that connects to targets. Its sites, which may name keys too, are overridden.
func AddCredentialFlags(cmd *cobra.Command, sites *SiteFlags) *CredentialFlags {
	f := &CredentialFlags{sites: sites}
	k, t, fs := &f.config.Kerberos, &f.config.TLS, cmd.Flags()
	fs.StringVar(&k.Keytab, "kerberos-keytab", "", "log in to Kerberos with the key of --kerberos-principal in `FILE`")
	fs.StringVar(&k.Principal, "kerberos-principal", "", "`NAME` for Kerberos, such as anna@EXAMPLE.COM; _HOST in it is the name of this machine")
	fs.StringVar(&k.Cache, "kerberos-cache", "", "use the Kerberos tickets in `FILE`, as kinit -c writes them, instead of a keytab")
	fs.StringVar(&k.Conf, "krb5-conf", "", "read the servers of the Kerberos realm from `FILE`; default "+credential.DefaultConf)
	fs.StringVar(&k.Realm, "kerberos-realm", "", "Kerberos `REALM`, with --kerberos-kdc instead of --krb5-conf")
	fs.StringArrayVar(&k.KDCs, "kerberos-kdc", nil, "`HOST[:PORT]` of a KDC of --kerberos-realm; repeatable")
	fs.StringVar(&t.Cert, "target-tls-cert", "", "`FILE` with the certificate for targets with TLS: PEM, or PKCS#12 with its key")
	fs.StringVar(&t.Key, "target-tls-key", "", "`FILE` with the private key of --target-tls-cert in PEM")
	fs.StringVar(&f.password, "target-tls-password-file", "", "`FILE` with the password of a --target-tls-cert in PKCS#12")
	fs.StringVar(&t.CA, "target-tls-ca", "", "`FILE` with the authorities (CA) whose certificates of targets are accepted: PEM or PKCS#12; default is those of the system")
	fs.StringVar(&f.passwordOfCA, "target-tls-ca-password-file", "", "`FILE` with the password of a --target-tls-ca in PKCS#12")
	return f
}

// Given reports whether one of the flags is set.
func (f *CredentialFlags) Given() bool {
	k, t := f.config.Kerberos, f.config.TLS
	return k.Keytab+k.Principal+k.Cache+k.Conf+k.Realm+t.Cert+t.Key+t.CA+f.password+f.passwordOfCA != "" || len(k.KDCs) > 0
}

// Load reads the keys. A process that holds some writes no core dumps from now on.
func (f *CredentialFlags) Load(cmd *cobra.Command, origins config.Origins) (*credential.Credential, error) {
	c := f.config
	var err error
	for _, one := range []struct {
		flag, file string
		into       *secret.Value
	}{{"target-tls-password-file", f.password, &c.TLS.Password}, {"target-tls-ca-password-file", f.passwordOfCA, &c.TLS.CAPassword}} {
		if one.file == "" {
			continue
		}
		if *one.into, err = credential.ReadPassword(one.file); err != nil {
			return nil, &UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("--%s: %w", one.flag, err)}
		}
	}
	if f.sites != nil {
		of, err := f.sites.credential(cmd, origins)
		if err != nil {
			return nil, err
		}
		c = c.Over(of)
	}
	loaded, err := credential.New(c)
	if err != nil {
		return nil, &Error{Code: Usage, Err: err}
	}
	if loaded.Private() {
		if err := credential.Shield(); err != nil {
			return nil, err
		}
	}
	return loaded, nil
}

// credential returns the keys that files of targets' own configuration name.
func (f *SiteFlags) credential(cmd *cobra.Command, origins config.Origins) (credential.Config, error) {
	var c credential.Config
	for i, site := range f.sites {
		if site.Credential == nil || *f.folders[i] == "" {
			continue
		}
		files, _, err := readSites(inFolder(site, *f.folders[i]), *f.folders[i], site.Required, os.ReadFile)
		if err == nil {
			var of credential.Config
			of, err = site.Credential(files)
			c = c.Over(of)
		}
		if err != nil {
			return c, &UsageError{Command: cmd.CommandPath(), Err: fmt.Errorf("read %s (%s): %w", *f.folders[i], origins[site.Folder], err)}
		}
	}
	return c, nil
}

// LogCredential logs what kinds of keys a process has for targets.
func LogCredential(log *slog.Logger, c *credential.Credential) {
	if kinds := c.Kinds(); len(kinds) > 0 {
		log.Info("credentials for targets", "kinds", strings.Join(kinds, ", "))
	}
}
