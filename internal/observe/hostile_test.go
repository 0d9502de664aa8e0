package observe

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/outbound"
	"github.com/benchd/benchd/internal/plan"
)

// An endpoint is a URL of a submission: it may be any server.
func TestAHostileEndpointIsAWarning(t *testing.T) {
	followed := false
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer canary.Close()
	allowed, err := outbound.New([]string{"10.0.0.0/8"})
	require.NoError(t, err)
	for name, test := range map[string]struct {
		page    http.HandlerFunc
		dial    *outbound.Dialer
		warning string
	}{
		"an endless page": {func(w http.ResponseWriter, _ *http.Request) {
			for err := error(nil); err == nil; {
				_, err = w.Write([]byte(strings.Repeat("up 1\n", 10_000)))
			}
		}, nil, "the page exceeds 8 MiB"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, canary.URL, http.StatusTemporaryRedirect)
		}, nil, "redirects to " + canary.URL},
		"a header without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		}, nil, "headers exceeded"},
		"a refused address": {func(http.ResponseWriter, *http.Request) { followed = true }, allowed, "which telemetry.endpoints names"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.page)
			defer server.Close()
			p := NewPrometheus(plan.Endpoint{Name: "n1", URL: server.URL}, nil, test.dial)
			defer p.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var warnings []string
			for range tolerated {
				look := p.Look(t.Context())
				require.Empty(t, look.Groups)
				warnings = append(warnings, look.Warnings...)
			}
			runtime.ReadMemStats(&after)
			require.Len(t, warnings, 1)
			require.Contains(t, warnings[0], test.warning)
			require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(64<<20))
			require.LessOrEqual(t, p.page.Cap(), 1<<20, "its memory is not kept")
		})
	}
	require.False(t, followed)
}
