//go:build secure

package secure

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/test/testcluster"
)

// Two agents work with real keys: one has a keytab and a certificate in PEM, the other a credential cache and a certificate in PKCS#12
// with its password. All that is stored and printed is searched for the keys, also after a connection that failed.
func TestKeysAndTicketsAreNowhere(t *testing.T) {
	const table = "keys"
	c := share(t, "kerberos")
	cache := filepath.Join(t.TempDir(), "cache")
	for _, words := range [][]string{
		{"kinit", "-c", "FILE:" + cache, "-k", "-t", c.file("kdc", "bob.keytab"), "bob"},
		{"kvno", "-c", "FILE:" + cache, "hbase/localhost", "HTTP/localhost"}, // tickets of the services, which the agent uses
	} {
		out, err := tool(t, c.realm()[1], "", words[0], words[1:]...)
		require.NoError(t, err, out)
	}
	keys := keysOf(t, c, cache)

	h, spool, out := testcluster.New(t, "--log-level", "debug"), t.TempDir(), t.TempDir()
	common := func(name string) []string {
		return []string{"--spool", filepath.Join(spool, name), "--log-level", "debug"}
	}
	agents := []*testcluster.Process{
		h.Agent("keytab", slices.Concat(common("keytab"), c.client())...),
		h.Agent("cache", slices.Concat(common("cache"), c.realm(), []string{
			"--kerberos-cache", cache, "--target-tls-cert", c.file("client", "client.p12"), "--target-tls-password-file", c.file("client", "p12-password"),
			"--target-tls-ca", c.file("client", "ca.pem"),
		})...),
	}
	h.Connected(len(agents))
	all := map[string][]byte{}
	printed := func(words ...string) (stdout string, code int) {
		t.Helper()
		stdout, stderr, code := h.Ctl(words...)
		all["the output of benchctl"] = append(append(all["the output of benchctl"], stdout...), stderr...)
		return stdout, code
	}
	ctl := func(words ...string) string {
		t.Helper()
		stdout, code := printed(words...)
		require.Zero(t, code, "%v: %s", words, stdout)
		return stdout
	}
	base := slices.Concat([]string{"--hbase-conf", c.file("client")}, property("table", table, "columnfamily", "family", "hbase.rpc.protection", "privacy"))
	run := slices.Concat([]string{"submit", "--db", "hbase", "--wait", "--threads", "4", "--note", "stored-note"}, base,
		property("recordcount", 200, "operationcount", 2000, "target", 1000, "telemetry.interval", "250ms", "measurementtype", "hdrhistogram+raw"))
	ctl(slices.Concat(run, []string{"--phase", "load,run"}, property("hbase.table.create", "recreate", "hbase.after.load", "flush"))...)
	good := newest(t, ctl("list", "-o", "json"))
	_, code := printed(slices.Concat(run, property("hbase.regionserver.kerberos.principal", "HTTP/_HOST@"+realm))...)
	require.NotZero(t, code, "the service's principal is wrong")
	bad := newest(t, ctl("list", "-o", "json"))
	for _, agent := range []string{"keytab", "cache"} {
		ctl(slices.Concat([]string{"admin", "hbase", "regions", table, "--agent", agent}, base)...)
	}
	ctl(slices.Concat([]string{"admin", "hbase", "drop", table, "--agent", "cache"}, base)...)
	ctl("agents", "-o", "json")
	printed("doctor", "-o", "json") // it may have findings about this machine
	for _, id := range []string{good, bad} {
		ctl("show", id, "-o", "json")
		ctl("export", id, "--out", filepath.Join(out, id+".benchd"))
	}
	ctl("report", good, "--out", out, "--format", "md,html,xlsx,json,csv,ycsb,hlog,benchfmt,raw")
	ctl("report", bad, "--out", out, "--format", "md,html,xlsx,json,csv")

	all["the archive"], all["the spools"], all["exports and reports"] = testcluster.Stored(t, h.Dir), testcluster.Stored(t, spool), testcluster.Stored(t, out)
	all["the coordinator's log"], all["the coordinator's metrics"] = []byte(h.Coordinator.Log()), page(t, h.HTTP)
	for i, a := range agents {
		address := regexp.MustCompile(`http=(\S+)`).FindStringSubmatch(a.Log())
		require.NotNil(t, address, a.Log())
		all[fmt.Sprintf("the log of agent %d", i)], all[fmt.Sprintf("the metrics of agent %d", i)] = []byte(a.Log()), page(t, address[1])
		limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", a.ID()))
		require.NoError(t, err)
		require.Regexp(t, `(?m)^Max core file size +0 +0 `, string(limits))
	}
	for where, content := range all {
		t.Logf("%s: %d bytes", where, len(content))
		require.Empty(t, keys.in(content), "%s has keys", where)
	}

	// The test of the test: what may be stored is found in the same places, and each key is found where it is.
	for _, where := range []string{"the archive", "the output of benchctl", "exports and reports"} {
		require.True(t, bytes.Contains(all[where], []byte("stored-note")), where)
	}
	require.Contains(t, string(all["the archive"]), "the server refuses the ticket", "the failure is stored")
	require.Contains(t, agents[0].Log(), "Kerberos keytab, TLS certificate, TLS authorities")
	require.Contains(t, agents[1].Log(), "Kerberos credential cache, TLS certificate, TLS authorities")
	require.Subset(t, keys.in(slices.Concat(testcluster.Stored(t, c.file("client")), testcluster.Stored(t, filepath.Dir(cache)))), keys.files, "keys are found in their files")
	require.Greater(t, len(keys.files), 10)
	for name, content := range keys.content {
		for before := range 4 {
			long := slices.Concat(make([]byte, before), content, []byte("behind"))
			for _, text := range []string{
				string(long), fmt.Sprintf("%d", long), hex.EncodeToString(long), fmt.Sprintf("%X", long), fmt.Sprintf("% x", long),
				base64.StdEncoding.EncodeToString(long), base64.RawURLEncoding.EncodeToString(long),
			} {
				require.Contains(t, keys.in([]byte(text)), name, "%q", text)
			}
		}
	}
}

// secrets are keys and tickets by name.
type secrets struct {
	content map[string][]byte
	forms   map[string][][]byte // in which it could be stored
	files   []string            // those that the files of the agents have as they are
}

// add adds a secret that a file has as it is.
func (s *secrets) add(name string, content []byte) {
	s.files = append(s.files, name)
	s.made(name, content)
}

// made adds a secret that no file has as it is.
func (s *secrets) made(name string, content []byte) {
	forms := [][]byte{content, fmt.Appendf(nil, "%x", content), fmt.Appendf(nil, "%X", content), fmt.Appendf(nil, "% x", content)}
	forms = append(forms, []byte(strings.Trim(fmt.Sprintf("%d", content), "[]")))
	for shift := range 3 { // base64 of a longer content has it in one of three forms
		whole := base64.StdEncoding.EncodeToString(append(make([]byte, shift), content...))
		inner := whole[(shift*8+5)/6 : (len(content)+shift)*8/6]
		forms = append(forms, []byte(inner), []byte(strings.NewReplacer("+", "-", "/", "_").Replace(inner)))
	}
	s.content[name], s.forms[name] = content, forms
}

// in returns the names of the secrets that a content has in one of their forms.
func (s *secrets) in(content []byte) []string {
	var found []string
	for name, forms := range s.forms {
		if slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(content, form) }) {
			found = append(found, name)
		}
	}
	return found
}

// keysOf returns the secrets of the agents: keys of keytab and cache, tickets, private keys and the password.
func keysOf(t *testing.T, c *cluster, cache string) *secrets {
	t.Helper()
	all := &secrets{content: make(map[string][]byte), forms: make(map[string][][]byte)}
	content := func(path string) []byte {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		return b
	}
	all.add("the password", bytes.TrimSpace(content(c.file("client", "p12-password"))))
	all.add("the PKCS#12", content(c.file("client", "client.p12")))
	all.add("the keytab", content(c.file("client", "alice.keytab")))
	keys, err := keytab.Load(c.file("client", "alice.keytab"))
	require.NoError(t, err)
	require.NotEmpty(t, keys.Entries)
	for i, entry := range keys.Entries {
		all.add(fmt.Sprintf("key %d of the keytab", i), entry.Key.KeyValue)
	}
	all.add("the cache", content(cache))
	tickets, err := credentials.LoadCCache(cache)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, one := range tickets.GetEntries() {
		name := one.Server.PrincipalName.PrincipalNameString()
		names[name] = true
		all.add("the session key of "+name, one.Key.KeyValue)
		all.add("the ticket of "+name, one.Ticket)
	}
	require.Equal(t, map[string]bool{"krbtgt/" + realm: true, "hbase/localhost": true, "HTTP/localhost": true}, names)

	block, _ := pem.Decode(content(c.file("client", "client.pem")))
	require.NotNil(t, block)
	require.Contains(t, block.Type, "PRIVATE KEY")
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	require.NoError(t, err)
	scalar, err := private.(*ecdsa.PrivateKey).Bytes()
	require.NoError(t, err)
	all.made("the private key in DER", block.Bytes)
	all.made("the number of the private key", scalar)
	for i, line := range strings.Split(strings.TrimSpace(string(pem.EncodeToMemory(block))), "\n") {
		if !strings.HasPrefix(line, "-----") {
			all.add(fmt.Sprintf("line %d of the private key", i), []byte(line))
		}
	}
	return all
}

// newest returns the id of the newest suite in the output of list -o json.
func newest(t *testing.T, text string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, `"id": "`)
	require.True(t, found, text)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// page reads the metrics of a process.
func page(t *testing.T, address string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	require.NoError(t, err)
	response, err := (&http.Client{Timeout: testcluster.Patience}).Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Contains(t, string(body), "benchd_")
	return body
}
