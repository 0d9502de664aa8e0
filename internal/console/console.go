// Package console is the coordinator's pages in a browser, below /console/: a script that reads and changes everything by /api/v1.
//
//  1. Handler answers each path below Root with the same page, and serves its script and style. The script shows the page of the path.
//  2. The page's policy allows only its own script, requests to the same server, and pictures that the page makes.
//
// Script and style are bundled from web/console by `make generate`, with the packages of web/package.json; the bundles are committed.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Root is the path below which the pages are.
const Root = "/console/"

//go:embed bundle.js
var script []byte

//go:embed bundle.css
var style []byte

//go:embed page.gohtml
var pageTemplate string

// Handler serves the pages.
func Handler() http.Handler {
	version := tag(append(bytes.Clone(script), style...)) // a page loads the bundles that it was made with
	mux := http.NewServeMux()
	mux.Handle("GET "+Root+"bundle.js", newFile("text/javascript; charset=utf-8", script, version))
	mux.Handle("GET "+Root+"bundle.css", newFile("text/css; charset=utf-8", style, version))
	for _, path := range pages() {
		mux.Handle("GET "+Root+path, page(version, http.StatusOK))
	}
	mux.Handle("GET "+Root, page(version, http.StatusNotFound)) // it says so
	return headers(mux)
}

// pages returns the patterns of the paths that the script has a page for: those of Page in web/console/app.tsx.
func pages() []string {
	return []string{"{$}", "agents/", "suites/", "runs/{id}/", "compare/", "trend/", "schedules/", "new/", "agents", "suites", "runs/{id}", "compare", "trend", "schedules", "new"}
}

// page serves the page of all paths.
func page(version string, status int) http.Handler {
	page := template.Must(template.New("page").Parse(pageTemplate))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		nonce := rand.Text()
		h := w.Header()
		// The editor adds rules of style as it draws: they have the page's nonce.
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; "+
			"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		var text bytes.Buffer
		if err := page.Execute(&text, struct{ Root, Nonce, Version string }{Root, nonce, version}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write(text.Bytes())
	})
}

// tag is a short digest.
func tag(of []byte) string {
	sum := sha256.Sum256(of)
	return hex.EncodeToString(sum[:8])
}

// file is a bundle. A browser keeps it: another version has another address.
type file struct {
	media, etag, version string
	content              []byte
	small                func() []byte // compressed
}

func newFile(media string, content []byte, version string) *file {
	return &file{media: media, etag: tag(content), version: version, content: content, small: sync.OnceValue(func() []byte { return compressed(content) })}
}

func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.media)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if r.URL.RawQuery == f.version {
		h.Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	content, etag := f.content, f.etag
	if acceptsGzip(r) {
		content, etag = f.small(), f.etag+"-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func acceptsGzip(r *http.Request) bool {
	for one := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(one) == "gzip" {
			return true
		}
	}
	return false
}

func compressed(content []byte) []byte {
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	return small.Bytes()
}

func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		next.ServeHTTP(w, r)
	})
}
