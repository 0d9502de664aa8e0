package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/benchd/benchd/internal/notice"
	"github.com/benchd/benchd/internal/secret"
	"github.com/benchd/benchd/internal/suggest"
)

// The keys of a file, and of a hook.
func fileKeys() []string { return []string{"hooks", "link"} }

func hookKeys() []string {
	return []string{"name", "url", "events", "format", "suites", "tags", "secret", "ca", "timeout", "insecure"}
}

// MaxTimeout is the longest timeout of a hook.
const MaxTimeout = time.Minute

const byReference = "is given by reference, never by its value: write file:PATH, env:" + secret.Prefix + "NAME or credential:NAME; this message does not repeat the value"

// parser reads the nodes of a file, and collects all mistakes.
type parser struct {
	mistakes Mistakes
	rules    *Rules
}

func (p *parser) mistake(at *yaml.Node, format string, args ...any) {
	m := Mistake{Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	if at != nil {
		m.Line, m.Column = at.Line, at.Column
	}
	p.mistakes.Each = append(p.mistakes.Each, m)
}

// syntax reports an error of the YAML library, which has the line in its text: "yaml: line 3: ...". The text may repeat a value,
// which may be a secret in the wrong place, so only known parts of it are shown.
func (p *parser) syntax(err error) {
	at := &yaml.Node{Line: 1, Column: 1}
	if found := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); found != nil {
		at.Line, _ = strconv.Atoi(found[1])
	}
	p.mistake(at, "invalid YAML: check the indentation, the quotes and the colons of this line and the one before it")
}

// each calls do for each key of a mapping.
func (p *parser) each(n *yaml.Node, want string, known []string, do func(key string, value *yaml.Node)) {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		p.mistake(n, "anchors and aliases are not supported; write the value out")
		return
	}
	if n.Kind != yaml.MappingNode {
		p.mistake(n, "%s", want)
		return
	}
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		first, twice := seen[key.Value]
		switch {
		case twice:
			p.mistake(key, "duplicate key %s, first on line %d; remove one of them", key.Value, first)
		case known != nil && !slices.Contains(known, key.Value):
			p.mistake(key, "%s", unknown("key", key.Value, known))
		default:
			do(key.Value, value)
		}
		seen[key.Value] = key.Line
	}
}

// unknown reports a word that is not in a list. A long one may be a secret in the wrong place.
func unknown(what, word string, known []string) string {
	if len(word) > 32 {
		return fmt.Sprintf("unknown %s: want one of %s", what, strings.Join(known, ", "))
	}
	if near := suggest.Nearest(word, known); near != "" {
		return fmt.Sprintf("unknown %s %q (did you mean %q?)", what, word, near)
	}
	return fmt.Sprintf("unknown %s %q: want one of %s", what, word, strings.Join(known, ", "))
}

func (p *parser) document(n *yaml.Node) {
	var hooks *yaml.Node
	p.each(n, "want a list \"hooks:\"", fileKeys(), func(key string, value *yaml.Node) {
		switch key {
		case "link":
			p.link(value)
		case "hooks":
			hooks = value
		}
	})
	switch {
	case n.Kind != yaml.MappingNode:
		return
	case hooks == nil:
		p.mistake(n, "the key hooks is missing: a list of receivers; an empty list is []")
		return
	case hooks.Kind != yaml.SequenceNode:
		p.mistake(hooks, "hooks: want a list; begin each hook with \"- name: \"")
		return
	case len(hooks.Content) > maxHooks:
		p.mistake(hooks, "hooks: the list has %d; at most %d are allowed", len(hooks.Content), maxHooks)
		return
	}
	names := make(map[string]int)
	for _, one := range hooks.Content {
		h := p.hook(one)
		if first, twice := names[h.Name]; twice && h.Name != "" {
			p.mistake(one, "hook %s: another hook has this name, on line %d", h.Name, first)
		}
		names[h.Name] = one.Line
		p.rules.Hooks = append(p.rules.Hooks, h)
	}
}

func (p *parser) link(n *yaml.Node) {
	text, ok := p.scalar("link", n)
	u, err := url.Parse(strings.ReplaceAll(text, "{suite}", "S"))
	if ok && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !strings.Contains(text, "{suite}")) {
		p.mistake(n, "link: want an address with {suite} for the id of the suite, such as https://bench.example.com/suites/{suite}")
	}
	p.rules.Link = text
}

func (p *parser) hook(n *yaml.Node) Hook {
	h := Hook{Format: JSON, Timeout: DefaultTimeout}
	places := make(map[string]*yaml.Node)
	p.each(n, "a hook has keys such as name: and url:", hookKeys(), func(key string, value *yaml.Node) {
		places[key] = value
		p.set(&h, key, value)
	})
	if n.Kind != yaml.MappingNode {
		return h
	}
	for _, key := range []string{"name", "url", "events"} {
		if places[key] == nil {
			p.mistake(n, "the hook has no %s", key)
		}
	}
	if at := places["url"]; at != nil && h.URL != "" && !isReference(h.URL) {
		if _, err := parseURL(h.URL, h.Insecure); err != nil {
			p.mistake(at, "url: %v", err)
		}
	}
	if at := places["secret"]; at != nil && h.Format != JSON {
		p.mistake(at, "secret: receivers of the format %s do not check signatures; remove it", h.Format)
	}
	return h
}

// set reads the value of one key of a hook.
func (p *parser) set(h *Hook, key string, n *yaml.Node) {
	switch key {
	case "suites":
		for _, one := range p.list(key, n) {
			if _, err := path.Match(one.Value, ""); err != nil {
				p.mistake(one, "suites: invalid pattern: want the name of suites with * for any letters, such as nightly-*")
			}
			h.Suites = append(h.Suites, one.Value)
		}
		return
	case "events":
		for _, one := range p.list(key, n) {
			if e := notice.Event(one.Value); slices.Contains(notice.Events(), e) {
				h.Events = append(h.Events, e)
			} else {
				p.mistake(one, "events: %s", unknown("event", one.Value, texts(notice.Events())))
			}
		}
		return
	case "tags":
		h.Tags = make(map[string]string)
		p.each(n, "tags: want lines KEY: VALUE", nil, func(tag string, value *yaml.Node) {
			if text, ok := p.scalar("tags", value); ok {
				h.Tags[tag] = text
			}
		})
		return
	}
	text, ok := p.scalar(key, n)
	if !ok {
		return
	}
	var err error
	switch key {
	case "name":
		h.Name = text
		if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`).MatchString(text) {
			p.mistake(n, "name: want up to 63 letters, digits, dots, dashes and underscores")
			h.Name = ""
		}
	case "url":
		h.URL = text
		if isReference(text) {
			if _, err := secret.Parse(text); err != nil {
				p.mistake(n, "url: want an address, or a reference file:PATH, env:%sNAME or credential:NAME to it", secret.Prefix)
			}
		}
	case "format":
		h.Format = Format(text)
		if !slices.Contains(Formats(), h.Format) {
			p.mistake(n, "format: %s", unknown("format", text, texts(Formats())))
		}
	case "secret":
		if h.Secret, err = secret.Parse(text); err != nil {
			p.mistake(n, "secret: a secret %s", byReference)
		}
	case "ca":
		h.CA = text
	case "timeout":
		h.Timeout, err = time.ParseDuration(text)
		if err != nil || h.Timeout < 100*time.Millisecond || h.Timeout > MaxTimeout {
			p.mistake(n, "timeout: want a duration from 100ms to %s, such as 10s", MaxTimeout)
		}
	case "insecure":
		if h.Insecure, err = strconv.ParseBool(text); err != nil {
			p.mistake(n, "insecure: want true or false")
		}
	}
}

func texts[T ~string](of []T) []string {
	out := make([]string, len(of))
	for i, one := range of {
		out[i] = string(one)
	}
	return out
}

func (p *parser) scalar(key string, n *yaml.Node) (string, bool) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		p.mistake(n, "%s: anchors and aliases are not supported; write the value out", key)
	case n.Kind != yaml.ScalarNode:
		p.mistake(n, "%s: want a single value", key)
	case n.Tag == "!!null" || n.Value == "":
		p.mistake(n, "%s: the key has no value; add one, or remove the line", key)
	default:
		return n.Value, true
	}
	return "", false
}

// list reads a list of single values, or one value.
func (p *parser) list(key string, n *yaml.Node) []*yaml.Node {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	if len(nodes) == 0 {
		p.mistake(n, "%s: the list is empty; add a value, or remove the line", key)
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(one *yaml.Node) bool {
		_, ok := p.scalar(key, one)
		return !ok
	})
}

// parseURL reads the address of a receiver. The errors do not contain it.
func parseURL(text string, insecure bool) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.Opaque != "" || u.Fragment != "" {
		return nil, errors.New("want an address https://HOST/PATH; this message does not repeat the value, which may contain a secret")
	}
	if u.User != nil {
		return nil, errors.New("the address contains a password or user: receivers check the signature instead; see secret")
	}
	if u.Scheme == "http" && !insecure && !loopback(u.Hostname()) {
		return nil, errors.New("plain HTTP beyond this machine shows notices to everyone on the network: use https, or set insecure: true")
	}
	return u, nil
}

func loopback(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback()
	}
	return host == "localhost"
}
