package kerberos

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
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
	keys        *keytab.Keytab

	asked sync.WaitGroup // requests to the realm's servers, some of which nobody waits for any more

	mu      sync.Mutex
	session *session
	fresh   time.Time // of the last login that Refresh made
	closed  bool
}

// session is a login, or what a credential cache had when it was read.
type session struct {
	krb  *client.Client
	read time.Time // when the cache was written
	ends time.Time // when its ticket expires
}

// New checks the configuration and reads its files. It asks nothing of the realm's servers.
func New(c Config) (*Client, error) {
	conf, err := loadConf(c)
	if err != nil {
		return nil, err
	}
	one := &Client{config: c, conf: conf}
	one.name, one.realm = splitPrincipal(c.Principal, conf.LibDefaults.DefaultRealm)
	switch {
	case c.Keytab != "":
		if one.keys, err = keytab.Load(c.Keytab); err != nil {
			return nil, problem(err, "read the keytab %s: %v; is it a keytab?", c.Keytab, err)
		}
		if !one.hasKey() {
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

// hasKey reports whether the keytab has a key of the principal that can be used.
func (c *Client) hasKey() bool {
	name := types.NewPrincipalName(nametype.KRB_NT_PRINCIPAL, c.name)
	for _, kind := range encryptions() {
		if _, _, err := c.keys.GetEncryptionKey(name, c.realm, 0, kind); err == nil {
			return true
		}
	}
	return false
}

func (c *Client) principal() string { return c.name + "@" + c.realm }

// readCache reads the credential cache.
func (c *Client) readCache() (*session, error) {
	info, err := os.Stat(c.config.Cache)
	if err != nil {
		return nil, problem(err, "read the credential cache: %v; run kinit", err)
	}
	cache, err := loadCache(c.config.Cache)
	if err != nil {
		return nil, problem(err, "read the credential cache %s: %v; run kinit -c FILE:%[1]s", c.config.Cache, err)
	}
	name, realm := cache.GetClientPrincipalName().PrincipalNameString(), cache.GetClientRealm()
	if c.name != "" && (name != c.name || realm != c.realm) {
		return nil, problem(nil, "the credential cache %s is for %s@%s, not for %s: correct --kerberos-principal, or run kinit", c.config.Cache, name, realm, c.principal())
	}
	if c.name == "" {
		c.name, c.realm = name, realm
	}
	krb, err := client.NewFromCCache(cache, c.conf)
	if err != nil {
		return nil, problem(err, "the credential cache %s has no ticket of the realm %s: run kinit (%v)", c.config.Cache, realm, err)
	}
	s := &session{krb: krb, read: info.ModTime()}
	if ticket, ok := cache.GetEntry(types.PrincipalName{NameType: nametype.KRB_NT_SRV_INST, NameString: []string{"krbtgt", realm}}); ok {
		s.ends = ticket.EndTime
	}
	return s, nil
}

// loadCache is the library's reader, which panics when a file is truncated.
func loadCache(path string) (cache *credentials.CCache, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it is not a credential cache of version 4")
		}
	}()
	return credentials.LoadCCache(path)
}

var errClosed = errors.New("the Kerberos client is closed")

// current returns the session to ask, and logs in if there is none yet.
func (c *Client) current() (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	if c.config.Cache != "" {
		return c.cached()
	}
	if c.session == nil {
		c.session = c.logIn()
	}
	return c.session, nil
}

// logIn makes a session of the keytab. The library logs in when it needs a ticket.
func (c *Client) logIn() *session {
	return &session{krb: client.NewWithKeytab(c.name, c.realm, c.keys, c.conf, client.DisablePAFXFAST(true))}
}

// cached returns the session of the cache, which is read again when it has been written. The caller holds mu.
func (c *Client) cached() (*session, error) {
	info, err := os.Stat(c.config.Cache)
	if err == nil && !info.ModTime().Equal(c.session.read) {
		read, err := c.readCache()
		if err != nil {
			return nil, err
		}
		c.session.krb.Destroy()
		c.session = read
	}
	if time.Now().After(c.session.ends) {
		return nil, c.expired(nil)
	}
	return c.session, nil
}

// ticket returns a ticket for a service, such as hbase/host, and its key.
func (c *Client) ticket(ctx context.Context, service string) (*client.Client, messages.Ticket, types.EncryptionKey, error) {
	type got struct {
		krb    *client.Client
		ticket messages.Ticket
		key    types.EncryptionKey
		err    error
	}
	answer := make(chan got, 1)
	c.asked.Go(func() { // the library takes no context
		var g got
		s, err := c.current()
		if err == nil {
			g.krb = s.krb
			g.ticket, g.key, err = s.krb.GetServiceTicket(service)
		}
		g.err = err
		answer <- g
	})
	select {
	case g := <-answer:
		if _, known := errors.AsType[*Error](g.err); g.err != nil && !known {
			g.err = c.explain(g.err, service)
		}
		return g.krb, g.ticket, g.key, g.err
	case <-ctx.Done():
		e := problem(context.Cause(ctx), "no KDC of the realm %s has answered in time: correct its address in krb5.conf or --kerberos-kdc, or start it", c.realm)
		e.Passing = true
		return nil, messages.Ticket{}, types.EncryptionKey{}, e
	}
}

// Check gets a ticket for a service, to see that it can be had.
func (c *Client) Check(ctx context.Context, service string) error {
	_, _, _, err := c.ticket(ctx, service)
	return err
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
	c.fresh = time.Now()
	if c.session != nil {
		c.session.krb.Destroy()
		c.session = nil
	}
	return true
}

// Close ends the renewal of tickets and waits for requests to the realm's servers, which take some seconds at most.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.asked.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		c.session.krb.Destroy()
		c.session = nil
	}
}
