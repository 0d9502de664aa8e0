package mongodbspec

import (
	"strings"

	"github.com/benchd/benchd/internal/descriptor"
)

// check reports properties that do not fit together.
func check(c descriptor.Case) {
	if table := c.Value("table"); c.Sound("table") && table != "" {
		if err := CheckCollection(table); err != nil {
			c.Fail("table", "%s", err)
		}
	}
	if c.Sound(shardKey, chunksKey) && c.Changed(chunksKey) && Sharding(c.Value(shardKey)) == Unsharded {
		c.Fail(chunksKey, "needs %s=%s or %s: a collection that is not sharded has no chunks", shardKey, Hashed, Ranged)
	}
	if c.Sound(PasswordKey, userKey, urlKey) {
		checkUser(c)
	}
	if c.Sound(urlKey) {
		checkOptions(c)
	}
}

// checkUser reports a user without a password, and a password without a user.
func checkUser(c descriptor.Case) {
	u, err := parseURL(c.Value(urlKey))
	if err != nil {
		return
	}
	user := c.Value(userKey)
	switch {
	case user != "" && u.User != "" && user != u.User:
		c.Fail(userKey, "conflicts with the user in %s; write it once", urlKey)
	case user == "" && u.User == "" && c.Value(PasswordKey) != "":
		c.Fail(PasswordKey, "needs %s", userKey)
	case (user != "" || u.User != "") && c.Value(PasswordKey) == "" && u.Option("authMechanism") != x509:
		c.Fail(userKey, "needs %s: a reference to the user's password, such as file:mongodb", PasswordKey)
	}
}

// x509 authenticates by the certificate of the agent.
const x509 = "MONGODB-X509"

// checkOptions reports options of the url that have no effect, or take the effect of a property.
func checkOptions(c descriptor.Case) {
	u, err := parseURL(c.Value(urlKey))
	if err != nil {
		return
	}
	for name, value := range u.options {
		o := options()[strings.ToLower(name)]
		if o.idle != "" && value != "false" {
			c.Warn(urlKey, "option %s has no effect: %s", name, o.idle)
		}
	}
	replaced := map[string][]string{
		writeKey: {"w"}, readKey: {"readPreference"}, readConcernKey: {"readConcernLevel"}, connectionsKey: {"maxPoolSize"},
	}
	if c.Value(writeKey) == "journaled" {
		replaced[writeKey] = []string{"journal"}
	}
	for key, names := range replaced {
		for _, name := range names {
			if value := u.Option(name); value != "" && c.Sound(key) && c.Changed(key) {
				c.Warn(key, "has no effect, as in YCSB's binding: %s has %s=%s", urlKey, name, value)
			}
		}
	}
	if u.Option("loadBalanced") == "true" && (u.Option("replicaSet") != "" || u.Option("directConnection") == "true") {
		c.Fail(urlKey, "option loadBalanced conflicts with replicaSet and directConnection; remove one of them")
	}
	if u.Option("directConnection") == "true" && (u.SRV || len(u.Hosts) > 1) {
		c.Fail(urlKey, "option directConnection needs a single HOST:PORT")
	}
	if u.Option("journal") == "true" && u.Option("w") == "0" {
		c.Fail(urlKey, "w=0 asks for no acknowledgement and journal=true for one; remove one of them")
	}
}
