package hbasespec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
	"github.com/benchd/benchd/internal/property"
)

// The properties of security. They have the names of HBase's own configuration.
const (
	authenticationKey  = "hbase.security.authentication"
	protectionKey      = "hbase.rpc.protection"
	masterPrincipalKey = "hbase.master.kerberos.principal"
	serverPrincipalKey = "hbase.regionserver.kerberos.principal"
	aesKey             = "hbase.rpc.crypto.encryption.aes.enabled"
	fallbackKey        = "hbase.ipc.client.fallback-to-simple-auth-allowed"
	noReverseKey       = "hbase.unsafe.client.kerberos.hostname.disable.reversedns"
	tlsKey             = "hbase.client.netty.tls.enabled"
	verifyKey          = "hbase.client.netty.tls.verify.server.hostname"
	protocolsKey       = "hbase.rpc.tls.enabledProtocols"
	protocolKey        = "hbase.rpc.tls.protocol"
	zooKeeperTLSKey    = "zookeeper.client.secure"
	httpsKey           = "hbase.ssl.enabled"
	spnegoKey          = "hbase.security.authentication.ui"
)

// The kinds of authentication, and the protections of requests.
const (
	simple   = "simple"
	kerberos = "kerberos"

	onlyAuthentication = "authentication"
	integrity          = "integrity"
	privacy            = "privacy"
)

// Security is how connections to a cluster are authenticated and encrypted. Keytabs and certificates are not part of it: they belong
// to the agents.
type Security struct {
	Kerberos       bool
	Protections    []string // with Kerberos, in the order of preference: authentication, integrity, privacy
	Master, Region string   // principals of the servers, which may contain _HOST
	ReverseDNS     bool     // _HOST is the name of the server's address
	AES            bool     // encrypt with AES in counter mode instead of Kerberos's cipher
	Fallback       bool     // to no authentication
	TLS            bool     // to masters and region servers
	VerifyHost     bool     // of certificates
	TLS12, TLS13   bool     // versions of TLS
	ZooKeeperTLS   bool
	HTTPS, SPNEGO  bool // of the servers' pages
}

// Tickets reports whether any connection needs a ticket of Kerberos.
func (s Security) Tickets() bool { return s.Kerberos || s.SPNEGO }

// Certificates reports whether any connection needs TLS.
func (s Security) Certificates() bool { return s.TLS || s.ZooKeeperTLS || s.HTTPS }

// security returns the settings of security.
func security(v property.Values) Security {
	protocols := strings.Split(v.Text(protocolsKey), ",")
	return Security{
		Kerberos:     v.Text(authenticationKey) == kerberos,
		Protections:  strings.Split(v.Text(protectionKey), ","),
		Master:       v.Text(masterPrincipalKey),
		Region:       v.Text(serverPrincipalKey),
		ReverseDNS:   !v.Bool(noReverseKey),
		AES:          v.Bool(aesKey),
		Fallback:     v.Bool(fallbackKey),
		TLS:          v.Bool(tlsKey),
		VerifyHost:   v.Bool(verifyKey),
		TLS12:        slices.Contains(protocols, tls12),
		TLS13:        slices.Contains(protocols, tls13),
		ZooKeeperTLS: v.Bool(zooKeeperTLSKey) && v.Text(registryKey) == RegistryZooKeeper,
		HTTPS:        v.Bool(httpsKey),
		SPNEGO:       v.Text(spnegoKey) == kerberos,
	}
}

// AuthenticationFacts are the facts of a connection with Kerberos and its protection. The protection is empty if the server has no
// authentication.
func AuthenticationFacts(protection string) map[string]string {
	if protection == "" {
		return map[string]string{authenticationKey: simple}
	}
	return map[string]string{authenticationKey: kerberos, protectionKey: protection}
}

// checkSecurity reports properties of security that do not fit together.
func checkSecurity(c descriptor.Case) {
	if c.Value(authenticationKey) == kerberos {
		checkKerberos(c)
	} else {
		checkSimple(c)
	}
	if c.Value(tlsKey) == "false" && c.Value(zooKeeperTLSKey) == "false" && c.Value(httpsKey) == "false" {
		for _, key := range []string{verifyKey, protocolsKey} {
			if c.Changed(key) {
				c.Warn(key, "has no effect without %s=true", tlsKey)
			}
		}
	}
}

// checkKerberos reports what a case with Kerberos lacks.
func checkKerberos(c descriptor.Case) {
	for _, key := range []string{masterPrincipalKey, serverPrincipalKey} {
		if c.Sound(key) && c.Value(key) == "" {
			c.Fail(authenticationKey, "kerberos needs %s: take it from hbase-site.xml of the cluster's clients (--hbase-conf), such as hbase/_HOST@EXAMPLE.COM", key)
		}
	}
	if c.Changed("hadoop.user.name") {
		c.Fail("hadoop.user.name", "conflicts with %s=kerberos, where the user is the principal of the agents; remove it", authenticationKey)
	}
	if c.Value(aesKey) == "true" && c.Sound(protectionKey) && !slices.Contains(strings.Split(c.Value(protectionKey), ","), privacy) {
		c.Fail(aesKey, "needs %s=privacy: with another protection nothing is encrypted", protectionKey)
	}
}

// checkSimple reports properties that need Kerberos in a case without it.
func checkSimple(c descriptor.Case) {
	if !c.Sound(authenticationKey) {
		return
	}
	if c.Sound(protectionKey) && c.Value(protectionKey) != onlyAuthentication {
		c.Fail(protectionKey, "%s needs %s=kerberos: without it nothing is signed or encrypted", c.Value(protectionKey), authenticationKey)
	}
	if c.Value(aesKey) == "true" {
		c.Fail(aesKey, "needs %s=kerberos and %s=privacy", authenticationKey, protectionKey)
	}
	for _, key := range []string{masterPrincipalKey, serverPrincipalKey, fallbackKey, noReverseKey} {
		if c.Changed(key) && c.Value(spnegoKey) != kerberos {
			c.Warn(key, "has no effect without %s=kerberos", authenticationKey)
		}
	}
}

// checkOpen reports properties that a sandbox does not have.
func checkOpen(c descriptor.Case) {
	check(c)
	for _, key := range []string{authenticationKey, tlsKey, zooKeeperTLSKey, httpsKey, spnegoKey} {
		if c.Changed(key) && c.Sound(key) {
			c.Fail(key, "a sandbox has neither Kerberos nor TLS; remove it, or write --db %s for a cluster that has", Name)
		}
	}
}

// lowerOneOf accepts one of the values in upper or lower case.
func lowerOneOf(values ...string) func(string) (string, error) {
	return func(value string) (string, error) { return property.OneOf(strings.ToLower(value), values) }
}

// checkList accepts a list of values, each once, in upper or lower case. It returns them as values has them.
func checkList(value string, values []string) (string, error) {
	var list []string
	for one := range strings.SplitSeq(value, ",") {
		one = strings.TrimSpace(one)
		if i := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, one) }); i >= 0 {
			one = values[i]
		}
		if _, err := property.OneOf(one, values); err != nil {
			return "", err //nolint:wrapcheck // it is for the user
		}
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return strings.Join(list, ","), nil
}

// checkProtection accepts a list of protections, in the order of preference.
func checkProtection(value string) (string, error) {
	return checkList(value, []string{onlyAuthentication, integrity, privacy})
}

// The versions of TLS.
const (
	tls12 = "TLSv1.2"
	tls13 = "TLSv1.3"
)

// checkProtocols accepts versions of TLS in any order.
func checkProtocols(value string) (string, error) {
	list, err := checkList(value, []string{tls12, tls13})
	if err != nil {
		return "", err
	}
	versions := strings.Split(list, ",")
	slices.Sort(versions)
	return strings.Join(versions, ","), nil
}

// checkPrincipal accepts the principal of a server.
func checkPrincipal(value string) (string, error) {
	value = strings.TrimSpace(value)
	service, rest, ok := strings.Cut(value, "/")
	host, realm, hasRealm := strings.Cut(rest, "@")
	if !ok || !hasRealm || service == "" || host == "" || realm == "" || strings.ContainsAny(realm, "/@ ") || strings.ContainsAny(host, "/ ") {
		return "", fmt.Errorf("invalid principal %s: want SERVICE/HOST@REALM, such as hbase/_HOST@EXAMPLE.COM", property.Quote(value))
	}
	if property.Printable(value) != nil {
		return "", errors.New("invalid principal: it has characters that cannot be printed")
	}
	return value, nil
}
