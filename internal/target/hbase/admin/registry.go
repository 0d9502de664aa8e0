package admin

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// sites has the addresses of the servers that every client needs.
type sites struct {
	master, meta string   // HOST:PORT
	masterInfo   int      // port of the master's info pages; 0 if unknown
	replicas     []string // servers of the replicas of hbase:meta, from number 1 on; "" for one that is not open
}

// registry finds the servers that every client needs.
type registry interface {
	// find returns the sites of services. Its errors name what is missing.
	find(ctx context.Context, services []string) (sites, error)
	// name is what errors call the registry.
	name() string
}

// probeWithin is the time limit of the check whether any server of a registry accepts connections.
const probeWithin = 3 * time.Second

// locate asks the registry for the sites. Its errors name what is missing.
func (c *Client) locate(ctx context.Context) error {
	found, err := c.registry.find(ctx, []string{masterService, clientService})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sites = found
	return nil
}

// site returns the address of a service that the registry finds, and how often addresses were renewed.
func (c *Client) site(service string) (at endpoint, seen int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if service == masterService {
		return endpoint{service, c.sites.master}, c.located
	}
	return endpoint{service, c.sites.meta}, c.located
}

// relocate looks up a service in the registry after a call to it has failed, unless another call has done so since, and pauses
// before the next try. It fails only when the context ends, with the reason: an error of the registry may pass, as while another
// master takes over.
func (c *Client) relocate(ctx context.Context, service string, seen int, pause time.Duration, failed error) error {
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%w (%w)", failed, context.Cause(ctx))
	}
	var lost error
	if _, now := c.site(service); now == seen {
		lost = c.renew(ctx, service)
	}
	<-c.gate
	if late := wait(ctx, pause); late != nil {
		return fmt.Errorf("%w (%w)", errors.Join(failed, lost), late)
	}
	return nil
}

// renew asks the registry for the site of a service.
func (c *Client) renew(ctx context.Context, service string) error {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	found, err := c.registry.find(ctx, []string{service})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.located++
	if service == masterService {
		c.sites.master, c.sites.masterInfo = found.master, found.masterInfo
	} else {
		c.sites.meta, c.sites.replicas = found.meta, found.replicas
	}
	return nil
}

// MetaServer looks up the server of hbase:meta, HOST:PORT.
func (c *Client) MetaServer(ctx context.Context) (string, error) {
	found, err := c.registry.find(ctx, []string{clientService})
	return found.meta, err
}
