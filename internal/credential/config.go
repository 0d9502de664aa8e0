package credential

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/benchd/benchd/internal/secret"
)

// Config names what a process has. The zero Config has nothing.
type Config struct {
	Kerberos Kerberos
	TLS      TLS
}

// Kerberos is who the process is for Kerberos, and where the realm's servers are.
type Kerberos struct {
	Keytab    string   // a file with keys of Principal
	Principal string   // such as anna@EXAMPLE.COM; of a cache the one that it is for
	Cache     string   // a file with tickets, as kinit writes it, in place of a keytab
	Conf      string   // krb5.conf
	Realm     string   // in place of Conf
	KDCs      []string // of Realm, HOST or HOST:PORT
}

// DefaultConf is where the realm's servers are without Conf and Realm.
const DefaultConf = "/etc/krb5.conf"

// TLS is the certificate of the process for targets, and the authorities whose certificates it accepts. Files are PEM or PKCS#12.
type TLS struct {
	Cert       string // with the certificate, and in PKCS#12 also the key
	Key        string // of Cert; without it Cert has the key, too
	Password   secret.Value
	CA         string // without it the authorities of the system count
	CAPassword secret.Value
}

// Over returns the config, with what it lacks taken from below. Settings that belong together are taken together.
func (c Config) Over(below Config) Config {
	k, t := &c.Kerberos, &c.TLS
	if k.Keytab == "" && k.Cache == "" {
		k.Keytab, k.Cache = below.Kerberos.Keytab, below.Kerberos.Cache
	}
	k.Principal = cmp.Or(k.Principal, below.Kerberos.Principal)
	if k.Conf == "" && k.Realm == "" {
		k.Conf, k.Realm, k.KDCs = below.Kerberos.Conf, below.Kerberos.Realm, below.Kerberos.KDCs
	}
	if t.Cert == "" {
		t.Cert, t.Key, t.Password = below.TLS.Cert, below.TLS.Key, below.TLS.Password
	}
	if t.CA == "" {
		t.CA, t.CAPassword = below.TLS.CA, below.TLS.CAPassword
	}
	return c
}

// Given reports whether the config has anything.
func (c Config) Given() bool {
	return c.Kerberos.given() || c.TLS.Cert != "" || c.TLS.CA != "" || c.TLS.Key != ""
}

// given reports whether the process has any key or ticket.
func (k Kerberos) given() bool { return k.Keytab != "" || k.Cache != "" || k.Principal != "" }

// ConfFile returns where krb5.conf is; empty with Realm.
func (k Kerberos) ConfFile() string {
	if k.Realm != "" {
		return ""
	}
	return cmp.Or(k.Conf, DefaultConf)
}

// withHost replaces _HOST in the principal by the name of this machine, as HBase's and Hadoop's clients do.
func (k Kerberos) withHost() (Kerberos, error) {
	if !strings.Contains(k.Principal, "_HOST") {
		return k, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return k, fmt.Errorf("replace _HOST in %s: %w", k.Principal, err)
	}
	k.Principal = strings.Replace(k.Principal, "_HOST", strings.ToLower(host), 1)
	return k, nil
}

// check reports names that do not fit together.
func (c Config) check() error {
	k := c.Kerberos
	switch {
	case k.Keytab != "" && k.Cache != "":
		return errors.New("a keytab and a credential cache are given: give only one of --kerberos-keytab and --kerberos-cache")
	case k.Keytab != "" && k.Principal == "":
		return fmt.Errorf("--kerberos-principal is missing: give the principal whose key is in %s, such as anna@EXAMPLE.COM; klist -k %[1]s lists them", k.Keytab)
	case k.Keytab == "" && k.Cache == "" && k.Principal != "":
		return fmt.Errorf("--kerberos-keytab is missing: give the file with the key of %s, or a credential cache with --kerberos-cache", k.Principal)
	case k.Conf != "" && k.Realm != "":
		return errors.New("--krb5-conf and --kerberos-realm are given: give only one of them")
	case k.Realm != "" && len(k.KDCs) == 0:
		return fmt.Errorf("--kerberos-kdc is missing: give the HOST:PORT of a KDC of the realm %s", k.Realm)
	case k.Realm == "" && len(k.KDCs) > 0:
		return errors.New("--kerberos-realm is missing: give the realm of --kerberos-kdc")
	case c.TLS.Cert == "" && c.TLS.Key != "":
		return fmt.Errorf("--target-tls-cert is missing: give the certificate of the key %s", c.TLS.Key)
	}
	return nil
}
