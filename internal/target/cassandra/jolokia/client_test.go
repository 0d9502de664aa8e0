package jolokia

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/target/cassandra/cassandraspec"
)

// serve starts a server that answers as Jolokia does, and returns a client of it with the address of its node.
func serve(t *testing.T, handler http.HandlerFunc) (client *Client, node string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	client, err = New(Config{
		Settings: cassandraspec.Jolokia{Port: n, Path: "/jolokia", Username: "anna"}, Password: secret.NewValue("geheim"), HTTP: HTTP(nil, nil),
	})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client, net.JoinHostPort(host, "9042")
}

func TestRequestsAreSentTogether(t *testing.T) {
	client, node := serve(t, func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		var requests []map[string]any
		if json.NewDecoder(r.Body).Decode(&requests) != nil || user != "anna" || password != "geheim" || r.URL.Path != "/jolokia/" || len(requests) != 2 {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = w.Write([]byte(`[{"status":200,"value":{"used":1}},{"status":500,"error":"java.lang.X : no "}]`))
	})
	answers, err := client.Call(t.Context(), node, Read("java.lang:type=Memory", "HeapMemoryUsage"), Exec("b", "drain()"))
	require.NoError(t, err)
	require.NoError(t, answers[0].Err())
	require.JSONEq(t, `{"used":1}`, string(answers[0].Value))
	require.EqualError(t, answers[1].Err(), "java.lang.X : no")
}

func TestWrongServersAreNamed(t *testing.T) {
	for want, handler := range map[string]http.HandlerFunc{
		"check cassandra.jolokia.username":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"404 Not Found; check":                http.NotFound,
		"the answer is not that of Jolokia":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"redirects are not followed":          func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) },
		"is not that of Jolokia; check cassa": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[]")) },
	} {
		client, node := serve(t, handler)
		_, err := client.Call(t.Context(), node, Exec("b", "drain()"))
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "geheim")
	}
	_, err := New(Config{})
	require.ErrorIs(t, err, ErrNone)
}
