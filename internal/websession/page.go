package websession

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
	"sync"

	"github.com/benchd/benchd/internal/identity"
)

//go:embed page.gohtml
var source string

// style is that of all pages. Its hash is in their policy.
const style = `:root{color-scheme:light dark}body{margin:0;font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}` +
	`main{max-width:34rem;margin:12vh auto;padding:0 1.25rem}h1{font-size:1.5rem;line-height:1.25}p{overflow-wrap:anywhere}` +
	`pre{padding:.75rem 1rem;border:1px solid GrayText;border-radius:.375rem;overflow-x:auto}` +
	`button{font:inherit;padding:.5rem 1.25rem;border:1px solid CanvasText;border-radius:.375rem;background:CanvasText;color:Canvas;cursor:pointer}` +
	`a{color:LinkText}:focus-visible{outline:3px solid Highlight;outline-offset:2px}`

// policy allows the style and the forms, and no script.
//
//nolint:gochecknoglobals // a constant, computed once
var policy = sync.OnceValue(func() string {
	digest := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
})

//nolint:gochecknoglobals // a constant, parsed once
var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(source)) })

// page is what a page shows.
type page struct {
	Lang, Title  string
	Text         []string
	Command      string
	Notes        []string // behind the command
	Code, Button string   // of the form that logs in
	Link, Href   string
	Logout       string // the button of the form that logs out
	Again        bool   // the browser asks for the page once more, at once
	Style        template.CSS
}

// protect sets the headers of a page of this package.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy())
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// show answers with a page.
func show(w http.ResponseWriter, r *http.Request, status int, p page) {
	p.Lang, p.Style = language(r), style
	var text bytes.Buffer
	if err := pageTemplate().Execute(&text, p); err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	protect(w.Header())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// language returns the first language that a browser accepts and the pages have.
func language(r *http.Request) string {
	for one := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(one), ";")
		switch main, _, _ := strings.Cut(strings.ToLower(tag), "-"); main {
		case "zh", "en":
			return main
		}
	}
	return "en"
}

// texts are those of the pages in one language.
type texts struct {
	login, ask, careful              string // the page of a link
	needed, how, once                string // the page without a login
	ended, why                       string
	invalid, used                    string
	out, known, proceed, leave       string
	again, reload                    string
	refused, insecure, insecureCause string
}

func textsOf(lang string) texts {
	if lang == "zh" {
		return texts{
			login: "登录", ask: "以 {who} 的身份登录 {host}？", careful: "只有在您自己刚刚执行了 benchctl console 时才继续。",
			needed: "需要登录", how: "在您使用 benchctl 的机器上执行下面的命令，然后打开它输出的链接：", once: "链接两分钟内有效，只能使用一次。",
			ended: "会话已结束", why: "会话在以下情况结束：12 小时未使用；满 7 天；退出登录；证书到期或被吊销。",
			invalid: "链接无效", used: "链接已经用过，或者已超过两分钟。要得到新的链接，请执行：",
			out: "已退出登录", known: "您已以 {who} 的身份登录。", proceed: "打开控制台", leave: "退出登录",
			again: "正在打开", reload: "如果页面没有打开，请点击这里",
			refused: "拒绝访问", insecure: "这里无法登录", insecureCause: "浏览器只通过 HTTPS 保存登录，或者在本机通过 http://127.0.0.1 或 http://localhost 保存。请用证书启动 coordinator（--tls-cert）。",
		}
	}
	return texts{
		login: "Log in", ask: "Log in as {who} on {host}?", careful: "Continue only if you have just run benchctl console yourself.",
		needed: "Login required", how: "Run this command where you use benchctl, and open the link that it prints:", once: "The link is valid for two minutes, and once.",
		ended: "The session has ended", why: "A session ends after 12 hours without use, after 7 days, by a logout, and with its certificate.",
		invalid: "The link is not valid", used: "It was used before, or is older than two minutes. For another one, run:",
		out: "Logged out", known: "You are logged in as {who}.", proceed: "Open the console", leave: "Log out",
		again: "Opening", reload: "Open the page, if nothing happens",
		refused: "Not allowed", insecure: "No login here",
		insecureCause: "A browser keeps a login over HTTPS only, or on this machine over http://127.0.0.1 or http://localhost. Start the coordinator with certificates (--tls-cert).",
	}
}

// command is how a user gets a link.
const command = "benchctl console"

// named puts a peer and a host into a text.
func named(text string, who identity.Identity, host string) string {
	return strings.NewReplacer("{who}", who.String(), "{host}", host).Replace(text)
}
