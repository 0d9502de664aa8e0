// Package access decides what a peer may do.
//
//  1. Calls lists the roles of each call of the protocol, Paths those of each HTTP path. What is not listed is refused.
//  2. Call and Path check a peer against these tables, and Privileged against the privileges that a request needs beyond its call:
//     to destroy a table, to run a hook, to inject a fault.
//  3. A refusal is a *DeniedError. It names the peer, the call and the cure, and whether the peer is unknown or lacks a right.
//
// The package is pure: the coordinator asks it, and archives what was refused.
package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/benchd/benchd/internal/identity"
)

// Rule is the rule of a call or of a path.
type Rule struct {
	// Name is the full name of a call, such as /benchd.v1.RunService/Submit, or an HTTP path. A path that ends with a slash
	// stands for all below it.
	Name string
	// Roles may use it. Trusted peers may use everything.
	Roles []identity.Role
	// Changes reports whether the audit log records each use, and not only those that were refused.
	Changes bool
	// Doc describes the use, as the rest of "may not ...".
	Doc string
}

// Runs begins the names of the calls of benchctl and of the HTTP API.
const Runs = "/benchd.v1.RunService/"

const (
	runs   = Runs
	agents = "/benchd.v1.AgentService/"
	enroll = "/benchd.v1.EnrollService/"
)

func readers() []identity.Role {
	return []identity.Role{identity.Viewer, identity.Operator, identity.Admin}
}

func writers() []identity.Role { return []identity.Role{identity.Operator, identity.Admin} }

func anyone() []identity.Role {
	return append(identity.Roles(), identity.Anonymous)
}

// Calls is the table of all calls of the protocol. A test compares it with the protocol's services.
func Calls() []Rule {
	return []Rule{
		{Name: runs + "Submit", Roles: writers(), Changes: true, Doc: "submit suites"},
		{Name: runs + "Schedule", Roles: writers(), Changes: true, Doc: "schedule suites"},
		{Name: runs + "Schedules", Roles: readers(), Doc: "list schedules"},
		{Name: runs + "ChangeSchedule", Roles: writers(), Changes: true, Doc: "change schedules"},
		{Name: runs + "Validate", Roles: readers(), Doc: "validate suites"},
		{Name: runs + "Advise", Roles: readers(), Doc: "ask for advice on suites"},
		{Name: runs + "Watch", Roles: readers(), Doc: "watch runs"},
		{Name: runs + "Get", Roles: readers(), Doc: "read results"},
		{Name: runs + "Histograms", Roles: readers(), Doc: "read histograms"},
		{Name: runs + "Chart", Roles: readers(), Doc: "read charts"},
		{Name: runs + "Points", Roles: readers(), Doc: "read raw points"},
		{Name: runs + "List", Roles: readers(), Doc: "list suites"},
		{Name: runs + "Submission", Roles: readers(), Doc: "read submissions"},
		{Name: runs + "Annotate", Roles: writers(), Changes: true, Doc: "annotate suites"},
		{Name: runs + "Cancel", Roles: writers(), Changes: true, Doc: "cancel runs"},
		{Name: runs + "Remove", Roles: writers(), Changes: true, Doc: "remove suites"},
		{Name: runs + "Export", Roles: readers(), Doc: "export suites"},
		{Name: runs + "Import", Roles: writers(), Changes: true, Doc: "import suites"},
		{Name: runs + "Upload", Roles: writers(), Changes: true, Doc: "upload traces"},
		{Name: runs + "Agents", Roles: readers(), Doc: "list agents"},
		{Name: runs + "Drain", Roles: writers(), Changes: true, Doc: "drain agents"},
		{Name: runs + "Act", Roles: writers(), Changes: true, Doc: "execute actions on targets"},
		{Name: runs + "About", Roles: append(readers(), identity.Agent), Doc: "read the state of the coordinator"},
		{Name: runs + "Audit", Roles: []identity.Role{identity.Admin}, Changes: true, Doc: "read the audit log"},
		{Name: runs + "Webhooks", Roles: readers(), Doc: "list webhooks"},
		{Name: runs + "TestWebhook", Roles: []identity.Role{identity.Admin}, Changes: true, Doc: "test webhooks"},
		{Name: runs + "OpenConsole", Roles: readers(), Changes: true, Doc: "open the console"},
		{Name: agents + "Session", Roles: []identity.Role{identity.Agent}, Changes: true, Doc: "serve as an agent"},
		{Name: agents + "Trace", Roles: []identity.Role{identity.Agent}, Doc: "fetch traces"},
		{Name: enroll + "Enroll", Roles: anyone(), Changes: true, Doc: "ask for a certificate with a join token"},
		{Name: enroll + "Renew", Roles: []identity.Role{identity.Agent}, Changes: true, Doc: "renew the certificate of an agent"},
	}
}

// Paths is the table of all HTTP paths. A test compares it with the paths that are served.
func Paths() []Rule {
	return []Rule{
		{Name: "/", Roles: readers(), Doc: "list the HTTP paths"},
		{Name: "/metrics", Roles: readers(), Doc: "read metrics"},
		{Name: "/api/v1/", Roles: readers(), Doc: "use the API"}, // the calls that a request makes have rules of their own
		{Name: "/console/login", Roles: anyone(), Doc: "log in"}, // the code of the link decides
		{Name: "/console/logout", Roles: anyone(), Doc: "log out"},
		{Name: "/console/", Roles: readers(), Doc: "use the console"},
		{Name: "/sd/agents", Roles: readers(), Doc: "discover agents"},
		{Name: "/healthz", Roles: anyone(), Doc: "read the health"},
		{Name: "/readyz", Roles: anyone(), Doc: "read the readiness"},
		{Name: "/debug/pprof/", Roles: []identity.Role{identity.Admin}, Doc: "profile the process"},
	}
}

// DeniedError reports that a peer may not do what it asked for.
type DeniedError struct {
	Who  identity.Identity
	What string // the rest of "may not ..."
	Cure string
}

// Error names the peer, what it asked for and the cure.
func (e *DeniedError) Error() string {
	if e.Unknown() {
		return fmt.Sprintf("a peer without a certificate may not %s: %s", e.What, e.Cure)
	}
	return fmt.Sprintf("%s may not %s: %s", e.Who, e.What, e.Cure)
}

// Unknown reports that the peer has shown no identity. With one it might be allowed.
func (e *DeniedError) Unknown() bool { return !e.Who.Verified() }

// Find returns the rule of a call.
func Find(call string) (Rule, bool) {
	rules := Calls()
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == call })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// Call checks whether a peer may make a call.
func Call(who identity.Identity, call string) error {
	rule, ok := Find(call)
	if !ok {
		return &DeniedError{Who: who, What: "make the call " + call, Cure: "it is not in the table of calls"}
	}
	return rule.check(who)
}

// Path checks whether a peer may read an HTTP path.
func Path(who identity.Identity, path string) error {
	for _, rule := range Paths() {
		below := rule.Name != "/" && strings.HasSuffix(rule.Name, "/") && strings.HasPrefix(path, rule.Name)
		if rule.Name == path || below {
			return rule.check(who)
		}
	}
	if who.Role == identity.Trusted {
		return nil // the server answers that there is no such path
	}
	return &DeniedError{Who: who, What: "read the path " + path, Cure: "it is not in the table of paths"}
}

func (r Rule) check(who identity.Identity) error {
	if who.Role == identity.Trusted || slices.Contains(r.Roles, who.Role) {
		return nil
	}
	return &DeniedError{Who: who, What: r.Doc, Cure: "use a certificate with the role " + names(r.Roles)}
}

func names(roles []identity.Role) string {
	texts := make([]string, len(roles))
	for i, r := range roles {
		texts[i] = string(r)
	}
	if n := len(texts) - 1; n > 0 {
		return strings.Join(texts[:n], ", ") + " or " + texts[n]
	}
	return strings.Join(texts, "")
}

// Owned checks whether a peer may change what another one has submitted: the owner may, and an admin.
func Owned(who, owner identity.Identity, what string) error {
	switch {
	case who.Role == identity.Trusted, who.Role == identity.Admin, who.Verified() && who.Peer() == owner.Peer():
		return nil
	}
	return &DeniedError{Who: who, What: "change " + what + " of " + owner.String(), Cure: "ask its owner, or an admin"}
}

// Need is a privilege that a request needs.
type Need struct {
	Privilege identity.Privilege
	Object    string // the table, the hook or the kind of fault
}

// Privileged checks whether a peer has all the privileges that a request needs.
func Privileged(who identity.Identity, needs []Need) error {
	for _, n := range needs {
		if !who.Has(n.Privilege, n.Object) {
			return &DeniedError{Who: who, What: n.text(), Cure: fmt.Sprintf("ask an admin, or for a certificate with the grant %s:%s (benchd pki issue --grant)", n.Privilege, n.Object)}
		}
	}
	return nil
}

func (n Need) text() string {
	switch n.Privilege {
	case identity.Drop:
		return "drop, empty or recreate the table " + n.Object
	case identity.Hook:
		return "run the hook " + n.Object
	case identity.Fault:
		return "inject the fault " + n.Object
	}
	return string(n.Privilege) + " " + n.Object
}
