package kerberos

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jcmturner/gokrb5/v8/iana/etypeID"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/stretchr/testify/require"
)

const goodConf = `[libdefaults]
  default_realm = EXAMPLE.COM
  dns_canonicalize_hostname = fallback
[realms]
  EXAMPLE.COM = {
    kdc = 127.0.0.1:1
  }
`

// write writes a file below a new folder, and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func writeKeytab(t *testing.T, k *keytab.Keytab) string {
	t.Helper()
	b, err := k.Marshal()
	require.NoError(t, err)
	return write(t, "a.keytab", string(b))
}

func TestWhatIsWrongWithAConfigurationIsReported(t *testing.T) {
	conf := write(t, "krb5.conf", goodConf)
	keys := writeKeytab(t, newKeytab(t, "anna", etypeID.AES256_CTS_HMAC_SHA1_96))
	one, err := New(Config{Keytab: keys, Principal: "anna@EXAMPLE.COM", Conf: conf})
	require.NoError(t, err)
	one.Close()
	one, err = New(Config{Keytab: keys, Principal: "anna", Realm: "EXAMPLE.COM", KDCs: []string{"kdc1"}})
	require.NoError(t, err)
	require.Equal(t, []string{"kdc1:88"}, one.conf.Realms[0].KDC)
	one.Close()

	old := writeKeytab(t, newKeytab(t, "anna", etypeID.RC4_HMAC))
	for text, c := range map[string]Config{
		"neither a keytab nor a credential cache": {Conf: conf},
		"--krb5-conf":                              {Keytab: keys, Principal: "anna", Conf: "/does/not/exist"},
		"no AES key of bob@EXAMPLE.COM":            {Keytab: keys, Principal: "bob", Conf: conf},
		"no AES key of anna@EXAMPLE.COM":           {Keytab: old, Principal: "anna", Conf: conf},
		"is it a keytab?":                          {Keytab: conf, Principal: "anna", Conf: conf},
		"run kinit":                                {Cache: conf, Conf: conf},
		"no such file or directory; run kinit":     {Cache: "/does/not/exist", Conf: conf},
		`no KDC of the realm "OTHER.COM" is known`: {Keytab: writeKeytab(t, otherRealm(t)), Principal: "anna@OTHER.COM", Conf: write(t, "krb5.conf", "[libdefaults]\n default_realm = OTHER.COM\n dns_lookup_kdc = false\n")},
		"files that it includes are not read":      {Keytab: keys, Principal: "anna", Conf: write(t, "krb5.conf", "includedir /etc/krb5.conf.d/\n[libdefaults]\n default_realm = EXAMPLE.COM\n dns_lookup_kdc = false\n")},
		"a line is in a form that cannot be read":  {Keytab: keys, Principal: "anna", Conf: write(t, "krb5.conf", "[realms]\n EXAMPLE.COM = { kdc = kdc1 }\n")},
		"give the realm with --kerberos-realm and": {Keytab: keys, Principal: "anna", Conf: write(t, "krb5.conf", "[libdefaults]\n clockskew = soon\n")},
	} {
		_, err := New(c)
		var problem *Error
		require.ErrorAs(t, err, &problem, text)
		require.ErrorContains(t, err, text)
		require.False(t, problem.Passing)
	}
}

func otherRealm(t *testing.T) *keytab.Keytab {
	t.Helper()
	k := keytab.New()
	require.NoError(t, k.AddEntry("anna", "OTHER.COM", "password", time.Now(), 1, etypeID.AES256_CTS_HMAC_SHA1_96))
	return k
}

// newClient returns a client of a KDC at an address.
func newClient(t *testing.T, kdc string) *Client {
	t.Helper()
	c, err := New(Config{Keytab: writeKeytab(t, newKeytab(t, "anna", etypeID.AES256_CTS_HMAC_SHA1_96)), Principal: "anna", Realm: testRealm, KDCs: []string{kdc}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestAKDCThatIsNotThereIsReported(t *testing.T) {
	c := newClient(t, "127.0.0.1:1")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := c.Check(ctx, testService)
	var problem *Error
	require.ErrorAs(t, err, &problem)
	require.ErrorContains(t, err, "no KDC of the realm EXAMPLE.COM answers")
	require.ErrorContains(t, err, "start it (dial tcp 127.0.0.1:1: ")
	require.True(t, problem.Passing)
}

func TestAKDCThatIsSilentIsReportedInTime(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	c := newClient(t, l.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	err = c.Check(ctx, testService)
	require.ErrorContains(t, err, "no KDC of the realm EXAMPLE.COM has answered in time")
	require.Less(t, time.Since(began), 4*time.Second, "the library waits for 5 s")
}

func TestErrorsOfTheKDCAreExplained(t *testing.T) {
	c := newClient(t, "127.0.0.1:1")
	const prefix = "[Root cause: KDC_Error] KDC_Error: AS Exchange Error: kerberos error response from KDC: KRB Error: "
	for text, cure := range map[string]string{
		prefix + "(6) KDC_ERR_C_PRINCIPAL_UNKNOWN Client not found in Kerberos database":                                    "does not know the principal anna@EXAMPLE.COM: correct --kerberos-principal",
		prefix + "(7) KDC_ERR_S_PRINCIPAL_UNKNOWN Server not found":                                                         "does not know the principal hbase/host of the service",
		prefix + "(24) KDC_ERR_PREAUTH_FAILED Pre-authentication":                                                           "has no valid key of anna@EXAMPLE.COM: get a new keytab",
		prefix + "(37) KRB_AP_ERR_SKEW Clock skew too great":                                                                "set them by NTP",
		prefix + "(14) KDC_ERR_ETYPE_NOSUPP KDC has no support":                                                             "no AES key",
		prefix + "(18) KDC_ERR_CLIENT_REVOKED revoked":                                                                      "locked or has expired",
		prefix + "(32) KRB_AP_ERR_TKT_EXPIRED Ticket expired":                                                               "has expired",
		prefix + "(60) KRB_ERR_GENERIC Generic error":                                                                       "refuses a ticket of hbase/host",
		"AS_REP is not valid or client password/keytab incorrect < clock skew with KDC too large. Greater than 300 seconds": "set them by NTP",
		"something else": "get a ticket of hbase/host",
	} {
		problem := c.explain(errors.New(text), testService)
		require.ErrorContains(t, problem, cure)
		require.False(t, problem.Passing, text)
	}
}

func TestTicketsAreForgottenOnceAtATime(t *testing.T) {
	c := newClient(t, "127.0.0.1:1")
	require.True(t, c.Refresh())
	require.False(t, c.Refresh(), "a second login so soon would not help")
	c.fresh = time.Now().Add(-time.Hour)
	require.True(t, c.Refresh())
}

// A server that needs no ticket gets none, and the cookie of one that does is kept.
func TestCookiesReplaceTickets(t *testing.T) {
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(cookieName)
		if err != nil {
			http.SetCookie(w, &http.Cookie{Name: cookieName, Value: "signed"})
			requests = append(requests, "none")
			return
		}
		requests = append(requests, cookie.Value)
	}))
	defer server.Close()
	web := server.Client()
	web.Transport = newClient(t, "127.0.0.1:1").Transport(web.Transport)
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
		require.NoError(t, err)
		response, err := web.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	require.Equal(t, []string{"none", "signed"}, requests)
}

// A server that wants a ticket gets the error of the ticket, not an endless exchange.
func TestAMissingTicketIsTheErrorOfARequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Negotiate")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	web := server.Client()
	web.Transport = newClient(t, "127.0.0.1:1").Transport(web.Transport)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	require.NoError(t, err)
	response, err := web.Do(r)
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	require.ErrorContains(t, err, "no KDC of the realm EXAMPLE.COM answers")
}
