package jmx

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Handler answers /jmx with a server's metrics, and /conf with its settings.
//
// /jmx?qry=NAME lists the beans of that name, in which * matches anything; /jmx?get=NAME::ATTRIBUTE returns one
// attribute. /conf is XML, /conf?format=json is JSON.
func Handler(read func() Figures, settings func() map[string]string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /jmx", func(w http.ResponseWriter, r *http.Request) { serveBeans(w, r, read) })
	mux.HandleFunc("GET /conf", func(w http.ResponseWriter, r *http.Request) { serveSettings(w, r, settings()) })
	return mux
}

// maxQuery bounds the length of a query's patterns.
const maxQuery = 1000

func serveBeans(w http.ResponseWriter, r *http.Request, read func() Figures) {
	query, get := r.URL.Query().Get("qry"), r.URL.Query().Get("get")
	if len(query)+len(get) > maxQuery {
		http.Error(w, "the query is too long", http.StatusBadRequest)
		return
	}
	found := beansOf(read(), time.Now())
	if get != "" {
		found = attributeOf(found, get)
		if found == nil {
			writeJSON(w, http.StatusNotFound, map[string]string{"result": "ERROR", "message": "no such bean or attribute: " + get})
			return
		}
	} else if query != "" {
		found = slices.DeleteFunc(found, func(b *bean) bool { return !matches(query, b.name) })
	}
	writeJSON(w, http.StatusOK, map[string][]*bean{"beans": found})
}

// beansOf returns all beans of an info port.
func beansOf(f Figures, now time.Time) []*bean {
	var all []*bean
	var host string
	var started time.Time
	if m := f.Master; m != nil {
		host, started = m.Host, m.Started
		all = append(all, masterBeans(m, now)...)
	}
	if r := f.RegionServer; r != nil {
		host, started = r.Host, r.Started
		all = append(all, regionServerBeans(r, now)...)
	}
	return append(all, processBeans(host, started, now)...)
}

// attributeOf reduces beans to one attribute of one bean; nil if there is none.
func attributeOf(beans []*bean, get string) []*bean {
	name, attribute, ok := strings.Cut(get, "::")
	if !ok {
		return nil
	}
	for _, b := range beans {
		if b.name != name {
			continue
		}
		value, ok := b.get(attribute)
		if !ok {
			return nil
		}
		one := newBean(b.name, "")
		one.attrs = nil
		if modeler, ok := b.get("modelerType"); ok {
			one.set("modelerType", modeler)
		}
		one.set(attribute, value)
		return []*bean{one}
	}
	return nil
}

// matches reports whether a name matches a pattern, in which * matches anything. A pattern "domain:a,*" also matches a
// name that ends before the comma, and the properties of a name may have any order.
func matches(pattern, name string) bool {
	if pattern == name || pattern == "*:*" || pattern == "*" {
		return true
	}
	domain, want, ok := strings.Cut(pattern, ":")
	if !ok {
		return false
	}
	ownDomain, own, _ := strings.Cut(name, ":")
	if !glob(domain, ownDomain) {
		return false
	}
	has := strings.Split(own, ",")
	open, met := false, 0
	for property := range strings.SplitSeq(want, ",") {
		if property == "*" {
			open = true
			continue
		}
		if !slices.ContainsFunc(has, func(p string) bool { return glob(property, p) }) {
			return false
		}
		met++
	}
	return open || met == len(has)
}

// glob matches text with a pattern in which * matches anything.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return strings.HasSuffix(text, parts[last])
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf8")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}

// property is one setting in Hadoop's form.
type property struct {
	XMLName  xml.Name `json:"-"              xml:"property"`
	Key      string   `json:"key"            xml:"name"`
	Value    string   `json:"value"          xml:"value"`
	Final    bool     `json:"isFinal"        xml:"final"`
	Resource string   `json:"resource"       xml:"source"`
}

func serveSettings(w http.ResponseWriter, r *http.Request, settings map[string]string) {
	list := make([]property, 0, len(settings))
	for key, value := range settings {
		list = append(list, property{Key: key, Value: value, Resource: "benchd sandbox"})
	}
	slices.SortFunc(list, func(a, b property) int { return strings.Compare(a.Key, b.Key) })
	switch r.URL.Query().Get("format") {
	case "json":
		writeJSON(w, http.StatusOK, map[string][]property{"properties": list})
	case "", "xml":
		data, err := xml.MarshalIndent(struct {
			XMLName    xml.Name `xml:"configuration"`
			Properties []property
		}{Properties: list}, "", "  ")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		_, _ = w.Write([]byte(xml.Header + string(data) + "\n"))
	default:
		http.Error(w, "Bad format: write ?format=xml or ?format=json", http.StatusBadRequest)
	}
}
