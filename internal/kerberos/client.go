package kerberos

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/iana/nametype"
	"github.com/jcmturner/gokrb5/v8/keytab"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/types"
)

// Config is who the client is, and where the realm's servers are.
type Config struct {
	Keytab    string   // a file with keys of Principal
	Principal string   // such as anna@EXAMPLE.COM; of a cache the one that it is for
	Cache     string   // a file with tickets, in place of a keytab
	Conf      string   // krb5.conf
	Realm     string   // in place of Conf
	KDCs      []string // of Realm
}

// Client gets tickets for one principal. Its methods may be called from several goroutines.
type Client struct {
	config      Config
	conf        *config.Config
	name, realm string // of the principal

	// The library is not safe for several goroutines in all cases: only the one that has put a value into turn uses it, and session.
	turn    chan struct{}
	session *session
	tried   time.Time // when a newer session was last asked for

	mu     sync.Mutex
	fresh  time.Time // of the last Refresh
	forget bool      // the session
	closed bool
}

// New checks the configuration and reads its files. It asks nothing of the realm's servers.
func New(c Config) (*Client, error) {
	conf, err := loadConf(c)
	if err != nil {
		return nil, err
	}
	one := &Client{config: c, conf: conf, turn: make(chan struct{}, 1)}
	one.name, one.realm = splitPrincipal(c.Principal, conf.LibDefaults.DefaultRealm)
	switch {
	case c.Keytab != "":
		keys, err := keytab.Load(c.Keytab)
		if err != nil {
			return nil, problem(err, "read the keytab %s: %v; is it a keytab?", c.Keytab, err)
		}
		if !one.hasKey(keys) {
			return nil, problem(nil, "the keytab %s has no AES key of %s: correct --kerberos-principal; klist -kte lists the keys", c.Keytab, one.principal())
		}
	case c.Cache != "":
		if one.session, err = one.readCache(); err != nil {
			return nil, err
		}
	default:
		return nil, problem(nil, "the agent has neither a keytab nor a credential cache: start it with --kerberos-keytab and --kerberos-principal, or with --kerberos-cache")
	}
	if !knows(conf, one.realm) {
		hint := ""
		if c.Conf != "" && includes(c.Conf) {
			hint = "; files that it includes are not read"
		}
		return nil, problem(nil, "no KDC of the realm %q is known: add it to %s%s, or give --kerberos-realm and --kerberos-kdc", one.realm, c.Conf, hint)
	}
	return one, nil
}

// hasKey reports whether a keytab has a key of the principal that can be used.
func (c *Client) hasKey(keys *keytab.Keytab) bool {
	name := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, c.name)
	for _, kind := range encryptions() {
		if _, _, err := keys.GetEncryptionKey(name, c.realm, 0, kind); err == nil {
			return true
		}
	}
	return false
}

func (c *Client) principal() string { return c.name + "@" + c.realm }

var errClosed = errors.New("the Kerberos client is closed")

// use calls do with a ticket for a service, such as hbase/host, and its key. It returns when the context ends, though do may be called
// later: the library takes no context.
func (c *Client) use(ctx context.Context, service string, do func(*client.Client, messages.Ticket, types.EncryptionKey) error) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return c.late(ctx)
	}
	done := make(chan error, 1)
	go func() {
		err := c.ask(service, do)
		<-c.turn
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return c.late(ctx)
	}
}

// ask is use by the goroutine that has the turn. The library panics at some malformed messages.
func (c *Client) ask(service string, do func(*client.Client, messages.Ticket, types.EncryptionKey) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = problem(nil, "the KDC of the realm %s sends malformed messages: correct its address in krb5.conf or --kerberos-kdc (%v)", c.realm, r)
		}
	}()
	s, err := c.current()
	if err != nil {
		return c.explain(err, service)
	}
	ticket, key, err := s.krb.GetServiceTicket(service)
	if err != nil {
		return c.explain(err, service)
	}
	return do(s.krb, ticket, key)
}

// late is the error of a context that has ended.
func (c *Client) late(ctx context.Context) error {
	e := problem(context.Cause(ctx), "no KDC of the realm %s has answered in time: correct its address in krb5.conf or --kerberos-kdc, or start it", c.realm)
	e.Passing = true
	return e
}

// Check gets a ticket for a service, to see that it can be had.
func (c *Client) Check(ctx context.Context, service string) error {
	return c.use(ctx, service, func(*client.Client, messages.Ticket, types.EncryptionKey) error { return nil })
}

// refreshes is how long a login must be old before Refresh makes another.
const refreshes = 30 * time.Second

// Refresh forgets all tickets after a service has refused one, so that the next one is new. It returns false if that cannot help: they
// are of a cache, or have just been forgotten.
func (c *Client) Refresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.config.Cache != "" || c.closed || time.Since(c.fresh) < refreshes {
		return false
	}
	c.fresh, c.forget = time.Now(), true
	return true
}

// Close forgets all tickets. It waits for a request to the realm's servers, which takes some seconds at most.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.turn <- struct{}{}
	c.replace(nil)
	<-c.turn
}
