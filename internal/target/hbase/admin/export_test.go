package admin

// Mislead makes the client take an address for that of the master and of hbase:meta's server, as when both were replaced.
func (c *Client) Mislead(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sites.master, c.sites.meta = address, address
}

// Meta returns the address of the server of hbase:meta.
func (c *Client) Meta() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sites.meta
}

// Connected reports whether there is a connection to an address.
func (c *Client) Connected(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for to := range c.conns {
		if to.address == address {
			return true
		}
	}
	return false
}
