package websession

import (
	"errors"
	"net/http"
	"strings"

	"github.com/benchd/benchd/internal/identity"
)

// Paths of the console.
const (
	Home       = "/console/"
	LoginPath  = "/console/login"
	LogoutPath = "/console/logout"
)

// Config configures a handler. All fields must be set.
type Config struct {
	Store *Store
	// Pages serves what is below Home, but login and logout.
	Pages http.Handler
	// Who returns who sends a request, and anonymous for one whose sender is unknown.
	Who func(*http.Request) identity.Identity
	// Record records a login, a logout, or a refused one, with its error.
	Record func(r *http.Request, who identity.Identity, err error)
}

// maxForm bounds the form of a login, in bytes.
const maxForm = 4 << 10

// Handler serves the paths below Home. Nobody who is anonymous reaches the pages.
func Handler(c Config) http.Handler {
	mux, origin := http.NewServeMux(), http.NewCrossOriginProtection()
	mux.HandleFunc("GET "+LoginPath, c.askLogin)
	mux.HandleFunc("POST "+LoginPath, c.login)
	mux.HandleFunc("POST "+LogoutPath, c.logout)
	mux.HandleFunc(LogoutPath, func(w http.ResponseWriter, r *http.Request) { // a link logs nobody out: the page of the login has a button
		protect(w.Header())
		http.Redirect(w, r, LoginPath, http.StatusSeeOther)
	})
	mux.HandleFunc(Home, func(w http.ResponseWriter, r *http.Request) {
		if c.Who(r).Role == identity.Anonymous {
			Refuse(w, r, http.StatusUnauthorized, nil)
			return
		}
		c.Pages.ServeHTTP(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := origin.Check(r); err != nil {
			Refuse(w, r, http.StatusForbidden, errors.New("the page of another site sends this request"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// Refuse answers a request for a page that is not admitted: without an identity with how to log in, otherwise with the reason.
func Refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	t := textsOf(language(r))
	switch {
	case status != http.StatusUnauthorized:
		show(w, r, status, page{Title: t.refused, Text: []string{err.Error()}})
	case crossed(r):
		// The user has followed a link on another site, so the browser has withheld the cookie. The same request of this page has it.
		show(w, r, status, page{Title: t.again, Link: t.reload, Href: r.URL.RequestURI(), Again: true})
	case tokenOf(r) != "":
		http.SetCookie(w, cookie(""))
		show(w, r, status, page{Title: t.ended, Text: []string{t.why, t.how}, Command: command, Notes: []string{t.once}})
	default:
		show(w, r, status, t.neededPage())
	}
}

func (t texts) neededPage() page {
	return page{Title: t.needed, Text: []string{t.how}, Command: command, Notes: []string{t.once}}
}

// crossed reports whether a link on another site leads to a page.
func crossed(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// askLogin shows the page of a link, and uses nothing up.
func (c Config) askLogin(w http.ResponseWriter, r *http.Request) {
	t, code := textsOf(language(r)), r.URL.Query().Get("code")
	s, in := From(r.Context())
	if code == "" {
		if !in {
			show(w, r, http.StatusOK, t.neededPage())
			return
		}
		show(w, r, http.StatusOK, page{Title: t.login, Text: []string{named(t.known, s.Who, r.Host)}, Link: t.proceed, Href: Home, Logout: t.leave})
		return
	}
	who, err := c.Store.Invited(code)
	switch {
	case err != nil && in: // such as the page of a link after its use, from the history
		show(w, r, http.StatusForbidden, page{Title: t.invalid, Text: []string{named(t.known, s.Who, r.Host)}, Link: t.proceed, Href: Home})
	case err != nil:
		show(w, r, http.StatusForbidden, page{Title: t.invalid, Text: []string{t.used}, Command: command})
	case !keepsCookie(r):
		show(w, r, http.StatusForbidden, page{Title: t.insecure, Text: []string{t.insecureCause}})
	default:
		show(w, r, http.StatusOK, page{Title: t.login, Text: []string{named(t.ask, who, r.Host), t.careful}, Code: code, Button: t.login})
	}
}

// login starts a session, in place of the one that the browser has.
func (c Config) login(w http.ResponseWriter, r *http.Request) {
	t := textsOf(language(r))
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if !keepsCookie(r) {
		show(w, r, http.StatusForbidden, page{Title: t.insecure, Text: []string{t.insecureCause}})
		return
	}
	token, s, err := c.Store.Redeem(r.PostFormValue("code"))
	if err != nil {
		c.Record(r, identity.Identity{Role: identity.Anonymous}, err)
		show(w, r, http.StatusForbidden, page{Title: t.invalid, Text: []string{t.used}, Command: command})
		return
	}
	c.Store.End(tokenOf(r))
	c.Record(r, s.Who, nil)
	http.SetCookie(w, cookie(token))
	protect(w.Header())
	http.Redirect(w, r, Home, http.StatusSeeOther)
}

// logout ends the session of a request. A form gets a page, and a script no content.
func (c Config) logout(w http.ResponseWriter, r *http.Request) {
	if who, was := c.Store.End(tokenOf(r)); was {
		c.Record(r, who, nil)
	}
	http.SetCookie(w, cookie(""))
	protect(w.Header())
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	t := textsOf(language(r))
	show(w, r, http.StatusOK, page{Title: t.out, Text: []string{t.how}, Command: command, Notes: []string{t.once}})
}
