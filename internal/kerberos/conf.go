package kerberos

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
)

// encryptions are the kinds of keys that are asked for, best first.
func encryptions() []int32 {
	return []int32{
		etypeID.AES256_CTS_HMAC_SHA1_96, etypeID.AES128_CTS_HMAC_SHA1_96, etypeID.AES256_CTS_HMAC_SHA384_192, etypeID.AES128_CTS_HMAC_SHA256_128,
	}
}

// loadConf reads krb5.conf, or makes its content of a realm and its servers.
func loadConf(c Config) (*config.Config, error) {
	var conf *config.Config
	if c.Realm != "" {
		conf = config.New()
		conf.LibDefaults.DefaultRealm = c.Realm
		conf.Realms = []config.Realm{{Realm: c.Realm, KDC: withPorts(c.KDCs)}}
		conf.LibDefaults.UDPPreferenceLimit = 1
	} else {
		text, err := os.ReadFile(c.Conf)
		if err != nil {
			return nil, problem(err, "read the configuration of Kerberos: %v; give the file with --krb5-conf, or the realm with --kerberos-realm and --kerberos-kdc", err)
		}
		if conf, err = parseConf(string(text)); err != nil {
			return nil, problem(err, "%s: %v; correct the file, or give the realm with --kerberos-realm and --kerberos-kdc", c.Conf, err)
		}
	}
	conf.LibDefaults.DefaultTktEnctypeIDs = usable(conf.LibDefaults.DefaultTktEnctypeIDs)
	conf.LibDefaults.DefaultTGSEnctypeIDs = usable(conf.LibDefaults.DefaultTGSEnctypeIDs)
	conf.LibDefaults.PermittedEnctypeIDs = usable(conf.LibDefaults.PermittedEnctypeIDs)
	return conf, nil
}

// usable returns the kinds of keys of the file that a Context has, and those that the file does not know.
func usable(configured []int32) []int32 {
	var all []int32
	for _, id := range configured {
		if slices.Contains(encryptions(), id) {
			all = append(all, id)
		}
	}
	for _, id := range encryptions() {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

func withPorts(kdcs []string) []string {
	all := make([]string, len(kdcs))
	for i, kdc := range kdcs {
		if all[i] = kdc; !regexp.MustCompile(`:\d+$`).MatchString(kdc) {
			all[i] = kdc + ":88"
		}
	}
	return all
}

// parseConf parses a krb5.conf. The library does not know the value fallback, and panics at some lines.
func parseConf(text string) (conf *config.Config, err error) {
	defer func() {
		if r := recover(); r != nil {
			conf, err = nil, fmt.Errorf("a line is in a form that cannot be read, such as a realm that is written in one line (%v)", r)
		}
	}()
	text = regexp.MustCompile(`(?m)^(\s*dns_canonicalize_hostname\s*=\s*)fallback\s*$`).ReplaceAllString(text, "${1}false")
	conf, err = config.NewFromString(text)
	if _, skipped := errors.AsType[config.UnsupportedDirective](err); skipped {
		err = nil // the rest of the file counts
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller wraps it
	}
	return conf, nil
}

// includes reports whether a krb5.conf has content in other files, which are not read.
func includes(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && regexp.MustCompile(`(?m)^\s*include(dir)?\s`).Match(text)
}

// knows reports whether the realm's servers are known, or can be found by DNS.
func knows(conf *config.Config, realm string) bool {
	return conf.LibDefaults.DNSLookupKDC || slices.ContainsFunc(conf.Realms, func(r config.Realm) bool { return r.Realm == realm && len(r.KDC) > 0 })
}

// splitPrincipal returns the name and the realm of a principal.
func splitPrincipal(principal, defaultRealm string) (name, realm string) {
	if at := strings.LastIndexByte(principal, '@'); at >= 0 {
		return principal[:at], principal[at+1:]
	}
	return principal, defaultRealm
}
