package websession

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/benchd/benchd/internal/identity"
)

// site is a console that a browser uses over TLS.
type site struct {
	*Store

	t       *testing.T
	handler http.Handler
	records []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{Store: New(), t: t}
	s.handler = Handler(Config{
		Store: s.Store,
		Pages: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) }),
		Who: func(r *http.Request) identity.Identity {
			if of, is := From(r.Context()); is {
				return of.Who
			}
			return identity.Identity{Role: identity.Anonymous}
		},
		Record: func(r *http.Request, who identity.Identity, err error) {
			record := r.Method + " " + r.URL.Path + " " + who.String()
			if err != nil {
				record += " refused"
			}
			s.records = append(s.records, record)
		},
	})
	return s
}

// do sends a request of a browser with headers, as pairs.
func (s *site) do(method, target, body string, headers ...string) answer {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	in, _, leave, _ := s.EnterRequest(r)
	defer leave()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, in)
	return answer{StatusCode: w.Code, Header: w.Header(), body: w.Body.String()}
}

// answer is an answer that has been read.
type answer struct {
	StatusCode int
	Header     http.Header
	body       string
}

// Cookies are those that a browser is to keep.
func (a answer) Cookies() (all []*http.Cookie) {
	for _, line := range a.Header["Set-Cookie"] {
		if c, err := http.ParseSetCookie(line); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// link opens a link, and submits its form.
func (s *site) login(who identity.Identity, headers ...string) (token string) {
	s.t.Helper()
	page := s.do("GET", "https://bench:7071/console/login?code="+s.Invite(who, time.Time{}), "").body
	found := regexp.MustCompile(`name="code" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(s.t, found, page)
	a := s.do("POST", "https://bench:7071/console/login", url.Values{"code": {found[1]}}.Encode(), headers...)
	require.Equal(s.t, http.StatusSeeOther, a.StatusCode)
	require.Equal(s.t, "/console/", a.Header.Get("Location"))
	require.Len(s.t, a.Cookies(), 1)
	return a.Cookies()[0].Value
}

func TestALinkLogsInByAForm(t *testing.T) {
	s := newSite(t)
	code := s.Invite(anna(), time.Time{})
	for range 3 { // a program that follows the link uses nothing up
		a := s.do("GET", "https://bench:7071/console/login?code="+code, "")
		require.Equal(t, http.StatusOK, a.StatusCode)
		require.Empty(t, a.Cookies())
		require.Contains(t, a.body, "Log in as anna (operator) on bench:7071?")
	}
	form := url.Values{"code": {code}}.Encode()
	a := s.do("POST", "https://bench:7071/console/login", form, "Sec-Fetch-Site", "same-origin", "Origin", "null")
	require.Equal(t, http.StatusSeeOther, a.StatusCode)
	require.Empty(t, a.body)
	c := a.Cookies()[0]
	require.Equal(t, "__Host-benchd", c.Name)
	require.Equal(t, "__Host-benchd="+c.Value+"; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Strict", a.Header.Get("Set-Cookie"))

	again := s.do("POST", "https://bench:7071/console/login", form)
	require.Equal(t, http.StatusForbidden, again.StatusCode)
	require.Empty(t, again.Cookies())
	require.Contains(t, again.body, "<pre><code>benchctl console</code></pre>")
	require.Equal(t, http.StatusForbidden, s.do("GET", "https://bench:7071/console/login?code="+code, "").StatusCode)

	cookie := "__Host-benchd=" + c.Value
	require.Equal(t, "page /console/runs/r.1", s.do("GET", "https://bench:7071/console/runs/r.1", "", "Cookie", cookie).body)
	require.Contains(t, s.do("GET", "https://bench:7071/console/login", "", "Cookie", cookie).body, "You are logged in as anna (operator).")
	require.Equal(t, []string{"POST /console/login anna (operator)", "POST /console/login anonymous refused"}, s.records)
}

func TestPagesNeedALogin(t *testing.T) {
	s := newSite(t)
	a := s.do("GET", "https://bench:7071/console/suites", "")
	require.Equal(t, http.StatusUnauthorized, a.StatusCode)
	require.Contains(t, a.body, "Login required")
	require.Empty(t, a.Cookies())
	ended := s.do("GET", "https://bench:7071/console/suites", "", "Cookie", "__Host-benchd=OFANOTHERPROCESS")
	require.Equal(t, http.StatusUnauthorized, ended.StatusCode)
	require.Contains(t, ended.body, "and with its certificate")
	require.Negative(t, ended.Cookies()[0].MaxAge)
	require.Equal(t, http.StatusOK, s.do("GET", "https://bench:7071/console/login", "").StatusCode)
}

func TestALogoutEndsTheSession(t *testing.T) {
	s := newSite(t)
	for _, test := range []struct {
		accept string
		status int
	}{{"*/*", http.StatusNoContent}, {"text/html,*/*", http.StatusOK}} {
		cookie := "__Host-benchd=" + s.login(anna())
		a := s.do("POST", "https://bench:7071/console/logout", "", "Cookie", cookie, "Accept", test.accept)
		require.Equal(t, test.status, a.StatusCode)
		require.Negative(t, a.Cookies()[0].MaxAge)
		require.Equal(t, http.StatusUnauthorized, s.do("GET", "https://bench:7071/console/", "", "Cookie", cookie).StatusCode, "a copy of the cookie")
		require.Equal(t, test.status, s.do("POST", "https://bench:7071/console/logout", "", "Cookie", cookie, "Accept", test.accept).StatusCode)
	}
	require.Equal(t, []string{"POST /console/login anna (operator)", "POST /console/logout anna (operator)"}, s.records[:2])
	require.Len(t, s.records, 4)
	cookie := "__Host-benchd=" + s.login(anna())
	require.Equal(t, "/console/login", s.do("GET", "https://bench:7071/console/logout", "", "Cookie", cookie).Header.Get("Location"))
	require.Equal(t, http.StatusOK, s.do("GET", "https://bench:7071/console/", "", "Cookie", cookie).StatusCode, "a link logs nobody out")
}

func TestALoginReplacesTheSessionOfTheBrowser(t *testing.T) {
	s := newSite(t)
	former := s.login(anna())
	next := s.login(identity.Identity{Role: identity.Admin, Name: "root"}, "Cookie", "__Host-benchd="+former)
	require.False(t, alive(t, s.Store, former))
	require.True(t, alive(t, s.Store, next))
}

// A page of another site can neither log a browser in, nor out, nor use its session.
func TestOtherSitesHaveNoSession(t *testing.T) {
	s := newSite(t)
	token := s.login(anna())
	for name, headers := range map[string][]string{
		"another site":         {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"},
		"another site, a link": {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		"another port":         {"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors"},
		"a frame":              {"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"},
		"an old browser":       {"Origin", "https://bench:3000"},
		"no origin":            {"Origin", "null"},
	} {
		with := append([]string{"Cookie", "__Host-benchd=" + token}, headers...)
		require.Equal(t, http.StatusUnauthorized, s.do("GET", "https://bench:7071/console/", "", with...).StatusCode, name)
		for _, path := range []string{"/console/login", "/console/logout", "/console/"} {
			a := s.do("POST", "https://bench:7071"+path, "code="+s.Invite(anna(), time.Time{}), with...)
			require.Equal(t, http.StatusForbidden, a.StatusCode, "%s %s", name, path)
			require.Empty(t, a.Cookies(), "%s %s", name, path)
		}
		require.True(t, alive(t, s.Store, token), name)
	}
	for name, headers := range map[string][]string{
		"its own page":              {"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"},
		"the address line":          {"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"},
		"a link on another port":    {"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
		"its own page, old browser": {"Origin", "https://bench:7071"},
	} {
		with := append([]string{"Cookie", "__Host-benchd=" + token}, headers...)
		require.Equal(t, http.StatusOK, s.do("GET", "https://bench:7071/console/", "", with...).StatusCode, name)
	}
}

// A browser withholds the cookie from a link on another site. The answer lets it ask once more.
func TestALinkOnAnotherSiteOpensAPage(t *testing.T) {
	s := newSite(t)
	link := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	page := s.do("GET", "https://bench:7071/console/compare?a=1&b=2", "", link...).body
	require.Contains(t, page, `<meta http-equiv="refresh" content="0">`)
	require.Contains(t, page, `<a href="/console/compare?a=1&amp;b=2">`)
	link[1] = "same-origin" // that is how it asks
	require.NotContains(t, s.do("GET", "https://bench:7071/console/compare?a=1&b=2", "", link...).body, "http-equiv")
}

func TestPlainTextBeyondThisMachineKeepsNoCookie(t *testing.T) {
	s := newSite(t)
	for host, keeps := range map[string]bool{
		"http://bench:7071": false, "http://10.0.0.1:7071": false, "http://127.0.0.1:7071": true, "http://localhost:7071": true, "http://[::1]:7071": true, "https://bench": true,
	} {
		code := s.Invite(anna(), time.Time{})
		page := s.do("GET", host+"/console/login?code="+code, "")
		a := s.do("POST", host+"/console/login", "code="+code)
		require.Equal(t, keeps, page.StatusCode == http.StatusOK, host)
		require.Equal(t, keeps, len(a.Cookies()) == 1, host)
		if !keeps {
			require.Contains(t, page.body, "--tls-cert")
		}
	}
	proxied := s.do("GET", "http://bench/console/login?code="+s.Invite(anna(), time.Time{}), "", "X-Forwarded-Proto", "https")
	require.Equal(t, http.StatusOK, proxied.StatusCode)
}

func TestPagesHaveNoScriptAndNoFrames(t *testing.T) {
	s := newSite(t)
	for _, r := range []answer{
		s.do("GET", "https://bench:7071/console/login?code="+s.Invite(anna(), time.Time{}), ""),
		s.do("GET", "https://bench:7071/console/login?code=x", ""),
		s.do("GET", "https://bench:7071/console/", ""),
		s.do("POST", "https://bench:7071/console/login", "code="+s.Invite(anna(), time.Time{})),
		s.do("POST", "https://bench:7071/console/logout", ""),
	} {
		require.Regexp(t, `^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$`, r.Header.Get("Content-Security-Policy"))
		require.Equal(t, "no-referrer", r.Header.Get("Referrer-Policy"))
		require.Equal(t, "no-store", r.Header.Get("Cache-Control"))
		require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"))
		require.NotContains(t, r.body, "<script")
	}
}

func TestPagesSpeakTheLanguageOfTheBrowser(t *testing.T) {
	s := newSite(t)
	for accept, want := range map[string]string{
		"": "Login required", "en-GB,zh;q=0.5": "Login required", "zh-CN,zh;q=0.9,en;q=0.8": "需要登录", "de-DE,zh-TW;q=0.7": "需要登录", "fr": "Login required", "-": "Login required",
	} {
		require.Contains(t, s.do("GET", "https://bench:7071/console/", "", "Accept-Language", accept).body, want, accept)
	}
	page := s.do("GET", "https://bench:7071/console/login?code="+s.Invite(anna(), time.Time{}), "", "Accept-Language", "zh").body
	require.Contains(t, page, "以 anna (operator) 的身份登录 bench:7071？")
	require.Contains(t, page, `<html lang="zh">`)
}

func TestTheCureDependsOnTheCookie(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/suites", http.NoBody)
	require.Equal(t, "in a browser, log in with the link that `benchctl console` prints", Cure(r))
	r.Header.Set("Cookie", "__Host-benchd=X")
	require.Equal(t, "the session of this browser has ended: run `benchctl console`, and open the link that it prints", Cure(r))
	r.Header.Set("Cookie", "__Host-benchd=X; __Host-benchd=Y")
	_, _, _, ok := New().EnterRequest(r)
	require.False(t, ok)
}
