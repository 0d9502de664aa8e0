package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/console"
)

// ask makes a request with headers, given as names and values in turn.
func ask(t *testing.T, h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var nonces = regexp.MustCompile(`<meta name="csp-nonce" content="([A-Z2-7]{20,})">`)

// Each path below /console/ is a page of its own for users: it can be opened, reloaded and sent to others.
func TestEachPathHasThePage(t *testing.T) {
	h := console.Handler()
	for _, path := range []string{"", "suites/20260301-k7mp", "runs/20260301-k7mp.1", "compare?a=1&b=2", "new?template=first", "suites/c%2Fd"} {
		r := ask(t, h, http.MethodGet, console.Root+path)
		require.Equal(t, http.StatusOK, r.Code, path)
		require.Equal(t, "text/html; charset=utf-8", r.Header().Get("Content-Type"))
		require.Contains(t, r.Body.String(), `<div id="app">`)
	}
	require.Equal(t, http.StatusNotFound, ask(t, h, http.MethodGet, "/other").Code)
	for _, path := range []string{"typo", "a/b/c%2Fd", "runs", "runs/", "suit"} { // the page says that there is none
		r := ask(t, h, http.MethodGet, console.Root+path)
		require.Equal(t, http.StatusNotFound, r.Code, path)
		require.Contains(t, r.Body.String(), `<div id="app">`)
	}
}

// The script has a page for exactly the paths that are found.
func TestTheScriptHasTheSamePages(t *testing.T) {
	source, err := os.ReadFile("../../web/console/app.tsx")
	require.NoError(t, err)
	_, cases, _ := strings.Cut(string(source), "switch (page) {")
	cases, _, _ = strings.Cut(cases, "No such page")
	found := regexp.MustCompile(`case "(\w+)":`).FindAllStringSubmatch(cases, -1)
	require.NotEmpty(t, found)
	h := console.Handler()
	for _, match := range found {
		require.Equal(t, http.StatusOK, ask(t, h, http.MethodGet, console.Root+match[1]+"/x").Code, match[1])
	}
	require.Len(t, found, 7, "another page needs its path in console.go, and here")
}

// A page runs only the script of the console, whatever a result contains, and no other page frames it.
func TestThePolicyOfAPage(t *testing.T) {
	h := console.Handler()
	seen := make(map[string]bool)
	for range 3 {
		r := ask(t, h, http.MethodGet, console.Root)
		page := r.Body.String()
		nonce := nonces.FindStringSubmatch(page)
		require.Len(t, nonce, 2, "the page has its nonce for the editor")
		require.False(t, seen[nonce[1]], "each page has a nonce of its own")
		seen[nonce[1]] = true

		policy := r.Header().Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self' 'nonce-" + nonce[1] + "'", "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'",
			"require-trusted-types-for 'script'", "trusted-types 'none'",
		} {
			require.Contains(t, strings.Split(policy, "; "), part)
		}
		require.NotContains(t, policy, "unsafe")
		require.NotContains(t, policy, "http")
		require.Equal(t, "no-store", r.Header().Get("Cache-Control"), "a nonce is used once")
		for name, value := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "same-origin",
		} {
			require.Equal(t, value, r.Header().Get(name), name)
		}
		require.NotRegexp(t, `<script[^>]*>[^<]`, page, "no script in the page")
		require.NotRegexp(t, `<style|\son[a-z]+=|\sstyle=|javascript:`, page)
		require.NotRegexp(t, `https?://`, page, "nothing from elsewhere")
	}
}

// The bundles of a page have the addresses that it names. A browser keeps them, or hears that they are the same.
func TestTheBundles(t *testing.T) {
	h := console.Handler()
	page := ask(t, h, http.MethodGet, console.Root).Body.String()
	for name, media := range map[string]string{"bundle.js": "text/javascript; charset=utf-8", "bundle.css": "text/css; charset=utf-8"} {
		path := regexp.MustCompile(console.Root + regexp.QuoteMeta(name) + `\?[0-9a-f]{16}`).FindString(page)
		require.NotEmpty(t, path, name)
		r := ask(t, h, http.MethodGet, path)
		require.Equal(t, http.StatusOK, r.Code)
		require.Equal(t, media, r.Header().Get("Content-Type"))
		require.Equal(t, "nosniff", r.Header().Get("X-Content-Type-Options"))
		require.Contains(t, r.Header().Get("Cache-Control"), "immutable")
		plain := r.Body.String()
		require.NotEmpty(t, plain)

		require.Equal(t, http.StatusNotModified, ask(t, h, http.MethodGet, path, "If-None-Match", r.Header().Get("ETag")).Code)
		require.Equal(t, "no-cache", ask(t, h, http.MethodGet, console.Root+name+"?other").Header().Get("Cache-Control"), "the address of another version")

		small := ask(t, h, http.MethodGet, path, "Accept-Encoding", "br, gzip")
		require.Equal(t, "gzip", small.Header().Get("Content-Encoding"))
		require.NotEqual(t, r.Header().Get("ETag"), small.Header().Get("ETag"))
		in, err := gzip.NewReader(small.Body)
		require.NoError(t, err)
		all, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, plain, string(all))
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	h := console.Handler()
	for _, path := range []string{console.Root, console.Root + "suites/x", console.Root + "bundle.js"} {
		require.Equal(t, http.StatusOK, ask(t, h, http.MethodHead, path).Code, path)
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, "BREW"} {
			r := ask(t, h, method, path)
			require.Equal(t, http.StatusMethodNotAllowed, r.Code, "%s %s", method, path)
			require.Equal(t, "GET, HEAD", r.Header().Get("Allow"))
		}
	}
}
