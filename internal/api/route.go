package api

import (
	"net/http"
	"reflect"
	"strings"
)

// Prefix is the path below which all requests are.
const Prefix = "/api/v1"

// Route is a kind of request.
type Route struct {
	Method, Path string   // below Prefix; {id} stands for one element of the path
	Name         string   // of the request in the OpenAPI document
	Doc          string   // what it does, as one sentence
	Calls        []string // of RunService, which the guard checks; none if everyone who may use the API may make the request
	Parameters   []Parameter
	Body         reflect.Type   // of the request; nil for none
	Answers      []reflect.Type // the types of JSON that it answers with; none for other media
	Media        string         // of the answer; empty for JSON
	Status       int            // of the answer; 0 for 200

	serve func(*Server, *request) error
}

// Parameter is a parameter in the query of a request.
type Parameter struct {
	Name, Doc string
	Kind      Kind
	Choices   []string
	Repeated  bool
	Required  bool
}

// Kind is the type of a parameter.
type Kind string

// The kinds.
const (
	Text    Kind = "text"
	Integer Kind = "integer" // from 1 on
	Boolean Kind = "boolean"
	Time    Kind = "time"    // RFC 3339, or a date
	Seconds Kind = "seconds" // a number from 0 on
)

// Changes reports whether a request changes something.
func (r Route) Changes() bool { return r.Method != http.MethodGet }

// Variables are the names in the path.
func (r Route) Variables() (names []string) {
	for part := range strings.SplitSeq(r.Path, "/") {
		if strings.HasPrefix(part, "{") {
			names = append(names, strings.Trim(part, "{}"))
		}
	}
	return names
}

func types(of ...reflect.Type) []reflect.Type { return of }
