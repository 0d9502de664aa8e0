package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// named resolves names from a list, each time to the next of its addresses.
type named map[string][]string

func (n named) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if len(n[host]) == 0 {
		return nil, errors.New("no such host")
	}
	ip := netip.MustParseAddr(n[host][0])
	if len(n[host]) > 1 {
		n[host] = n[host][1:]
	}
	return []netip.Addr{ip}, nil
}

func TestRulesDecideWhatIsReached(t *testing.T) {
	names := named{"db.example": {"203.0.113.9"}, "inside.example": {"10.1.2.3"}, "meta.example": {"169.254.169.254"}}
	for name, test := range map[string]struct {
		allow            []string
		allowed, refused []string
	}{
		"by default private networks and loopback": {
			nil,
			[]string{
				"10.0.0.1:1", "172.16.0.1:1", "172.31.255.255:1", "192.168.255.1:1", "100.64.0.1:1", "100.127.255.255:1", "127.0.0.1:2181", "127.9.9.9:1",
				"[::1]:1", "[fd12::1]:1", "[::ffff:10.0.0.1]:1", "inside.example:1", "unknown.example:1",
			},
			[]string{
				"203.0.113.9:2181", "172.15.0.1:1", "172.32.0.1:1", "100.128.0.1:1", "192.169.0.1:1", "8.8.8.8:53", "[2001:db8::1]:1", "db.example:1",
				"169.254.169.254:80", "[fe80::1]:80", "[fe80::1%lo]:80", "[fd00:ec2::254]:80", "100.100.100.200:80", "[::ffff:169.254.169.254]:80", "meta.example:80",
				"0.0.0.0:80", "[::]:80", "224.0.0.1:80", "255.255.255.255:80", "[ff02::1]:80", "[64:ff9b::a9fe:a9fe]:80", "[::169.254.169.254]:80",
			},
		},
		"given rules replace the default": {
			[]string{"203.0.113.0/24"}, []string{"203.0.113.9:1", "db.example:1", "[::ffff:203.0.113.9]:1"}, []string{"10.0.0.1:1", "127.0.0.1:1", "203.0.114.1:1"},
		},
		"private with more": {[]string{"private", "203.0.113.9"}, []string{"10.0.0.1:1", "203.0.113.9:1"}, []string{"203.0.113.8:1"}},
		"a port of a host":  {[]string{"10.0.0.1:2181", "[fd12::1]:2181"}, []string{"10.0.0.1:2181", "[fd12::1]:2181"}, []string{"10.0.0.1:2182", "[fd12::1]:1"}},
		"hosts by name": {
			[]string{"DB.example.", "inside.example:16020", "meta.example"},
			[]string{"db.example:1", "db.EXAMPLE.:9", "inside.example:16020"},
			[]string{"203.0.113.9:1", "inside.example:1", "meta.example:80"},
		},
		"everything except what needs a rule of its own": {
			[]string{"0.0.0.0/0", "::/0"},
			[]string{"8.8.8.8:53", "[2001:db8::1]:1", "10.0.0.1:1"},
			[]string{"169.254.169.254:80", "[fe80::1]:1", "100.100.100.200:1", "[fd00:ec2::254]:1", "0.0.0.0:1"},
		},
		"a rule of its own": {[]string{"169.254.0.0/16", "fe80::1", "100.100.100.200"}, []string{"169.254.169.254:80", "[fe80::1%eth0]:1", "100.100.100.200:1"}, []string{"[fe80::2]:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := New(test.allow)
			require.NoError(t, err)
			d.resolver = names
			for _, address := range test.allowed {
				require.NoError(t, d.Check(t.Context(), address), address)
			}
			for _, address := range test.refused {
				var refused *RefusedError
				require.ErrorAs(t, d.Check(t.Context(), address), &refused, address)
				require.Equal(t, address, refused.Address)
			}
		})
	}
}

func TestInvalidRulesAreReported(t *testing.T) {
	for rule, problem := range map[string]string{
		"":                    "not a host",
		"10.0.0.0/33":         "not a network",
		"host/8":              "not a network",
		"::ffff:10.0.0.0/104": "without ::ffff:",
		"host:0":              "not a number from 1 to 65535",
		"host:http":           "not a number from 1 to 65535",
		"http://host":         "not a network",
		"a host":              "not a host",
		"[fd12::1":            "not a host",
		"10.0.0.1, 10.0.0.2":  "not a host",
		"zk1,zk2":             "not a host",
	} {
		_, err := New([]string{"10.0.0.0/8", rule})
		require.ErrorContains(t, err, problem, rule)
	}
	_, err := New([]string{"a b", "c d"})
	require.ErrorContains(t, err, "a b")
	require.ErrorContains(t, err, "c d", "all mistakes at once")
	for _, address := range []string{"", "host", ":2181", "10.0.0.1:0", "10.0.0.1:http", "10.0.0.1:70000"} {
		require.ErrorContains(t, (*Dialer)(nil).Check(t.Context(), address), "want HOST:PORT", address)
		_, err := (*Dialer)(nil).DialContext(t.Context(), "tcp", address)
		require.ErrorContains(t, err, "want HOST:PORT", address)
	}
}

// listen serves connections on an address of loopback and counts them.
func listen(t *testing.T, ip string) (string, *atomic.Int64) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(ip, "0"))
	require.NoError(t, err)
	count := new(atomic.Int64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		<-done
	})
	return l.Addr().String(), count
}

func TestARefusedAddressIsNeverDialled(t *testing.T) {
	good, _ := listen(t, "127.0.0.1")
	canary, reached := listen(t, "127.0.0.99")
	d, err := New([]string{"127.0.0.1/32", "127.0.0.98:1"})
	require.NoError(t, err)
	conn, err := d.DialContext(t.Context(), "tcp", good)
	require.NoError(t, err)
	require.IsType(t, &net.TCPConn{}, conn, "raw system calls need it")
	require.NoError(t, conn.Close())

	_, port, err := net.SplitHostPort(canary)
	require.NoError(t, err)
	for _, address := range []string{canary, "[::ffff:127.0.0.99]:" + port} {
		_, err = d.Named("hbase:meta").DialContext(t.Context(), "tcp", address)
		var refused *RefusedError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, "refuse to connect to "+address)
		require.ErrorContains(t, err, "hbase:meta")
		require.ErrorContains(t, err, "--allow-target")
	}
	_, err = d.DialContext(t.Context(), "udp", good)
	require.ErrorContains(t, err, "not TCP")
	require.Zero(t, reached.Load())

	conn, err = Any().DialContext(t.Context(), "tcp", canary)
	require.NoError(t, err, "the canary answers those who may")
	require.NoError(t, conn.Close())
}

// A name may resolve to an allowed address when it is checked, and to another one when it is dialled.
func TestTheAddressThatIsDialledIsChecked(t *testing.T) {
	canary, reached := listen(t, "127.0.0.1")
	_, port, err := net.SplitHostPort(canary)
	require.NoError(t, err)
	d, err := New([]string{"10.0.0.0/8"})
	require.NoError(t, err)
	d.resolver = named{"localhost": {"10.0.0.1"}} // the check believes that, and the system does not
	require.NoError(t, d.Check(t.Context(), "localhost:"+port))
	_, err = d.DialContext(t.Context(), "tcp", "localhost:"+port)
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.True(t, refused.IP.Addr().IsLoopback())
	require.Zero(t, reached.Load())
}

func TestAnErrorIsPrintableAndShort(t *testing.T) {
	err := &RefusedError{Address: "evil\x1b[2J" + strings.Repeat("x", 5000) + ":1"}
	require.NotContains(t, err.Error(), "\x1b")
	require.Less(t, len(err.Error()), 700)
}

func TestAnHTTPClientFollowsNoRedirect(t *testing.T) {
	var reached atomic.Bool
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	t.Cleanup(canary.Close)
	for _, code := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(canary.URL+"/x", code))
		client := Client(nil, time.Minute)
		_, err := client.Get(server.URL) //nolint:bodyclose,noctx // there is no answer
		require.ErrorContains(t, err, "redirects to "+canary.URL+"/x")
		client.CloseIdleConnections()
		server.Close()
	}
	require.False(t, reached.Load())
}

func TestAnHTTPClientUsesNoProxyAndBoundsHeaders(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			w.Header().Set("X", strings.Repeat("x", 2*maxHeader))
		}
	}))
	t.Cleanup(server.Close)
	client := Client(nil, time.Minute)
	t.Cleanup(client.CloseIdleConnections)
	answer, err := client.Get(server.URL) //nolint:noctx // the client has a timeout
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	_, err = client.Get(server.URL + "/long") //nolint:bodyclose,noctx // there is no answer
	require.ErrorContains(t, err, "headers exceeded")

	d, err := New([]string{"10.0.0.0/8"})
	require.NoError(t, err)
	_, err = Client(d.Named("telemetry.endpoints"), time.Minute).Get(server.URL) //nolint:bodyclose,noctx // there is no answer
	var refused *RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "telemetry.endpoints", refused.By)
}

// FuzzParseRule checks that a rule allows what it names, and that no rule of a host allows a metadata address.
func FuzzParseRule(f *testing.F) {
	for _, seed := range []string{"10.0.0.0/8", "host", "host:1", "[::1]:2", "::1", "private", "169.254.169.254", "0.0.0.0/0"} {
		f.Add(seed)
	}
	metadata := netip.MustParseAddrPort("169.254.169.254:80")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRule(text)
		if err != nil {
			return
		}
		if r.name != "" {
			require.False(t, allows([]Rule{r}, r.name, metadata))
			return
		}
		port := r.port
		if port == 0 {
			port = 1
		}
		own := allows([]Rule{r}, "", netip.AddrPortFrom(r.network.Addr(), port))
		wide := false // the first address of a network may need a rule of its own
		for _, n := range sensitive() {
			wide = wide || n.Contains(r.network.Addr()) && n.Bits() > r.network.Bits()
		}
		require.Equal(t, !wide, own, text)
	})
}

// Libraries that dial by themselves get an address that is allowed, and no name that could resolve to another one later.
func TestResolveReturnsAnAllowedAddress(t *testing.T) {
	d, err := New([]string{"10.0.0.0/8", "2001:db8::/32"})
	require.NoError(t, err)
	d = d.Named("hbase:meta")
	d.resolver = named{"inside.example": {"10.1.2.3"}, "meta.example": {"169.254.169.254"}}
	for address, want := range map[string]string{
		"inside.example:16020": "10.1.2.3:16020", "10.9.9.9:1": "10.9.9.9:1", "[2001:db8::1]:80": "[2001:db8::1]:80",
	} {
		got, err := d.Resolve(t.Context(), address)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, address := range []string{"meta.example:80", "127.0.0.1:80"} {
		_, err := d.Resolve(t.Context(), address)
		var refused *RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "hbase:meta", refused.By)
	}
	_, err = d.Resolve(t.Context(), "none.example:80")
	require.EqualError(t, err, "resolve none.example:80: no such host")
	_, err = d.Resolve(t.Context(), "none")
	require.ErrorContains(t, err, "want HOST:PORT")
	got, err := Any().Resolve(t.Context(), "anything.example:80")
	require.NoError(t, err)
	require.Equal(t, "anything.example:80", got)
}
