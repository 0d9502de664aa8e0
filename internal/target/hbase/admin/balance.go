package admin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	hbasepb "github.com/benchd/benchd/internal/gen/hbasepb/v1"
)

// Balanced is what a run of the balancer did.
type Balanced struct {
	Ran     bool // false: it is off, or regions are in transition
	Planned int  // regions to be moved
	Moved   int
	// Silent is the version of an HBase that does not report Planned and Moved, such as HBase 2.4.18.
	Silent string
}

// Balance has the master spread the regions over the servers.
func (c *Client) Balance(ctx context.Context) (Balanced, error) {
	response := &hbasepb.BalanceResponse{}
	if err := c.change(ctx, "Balance", &hbasepb.BalanceRequest{}, response); err != nil {
		return Balanced{}, fmt.Errorf("balance: %w", err)
	}
	did := Balanced{
		Ran: response.GetBalancerRan(), Planned: int(response.GetMovesCalculated()), Moved: int(response.GetMovesExecuted()),
	}
	if response.MovesCalculated == nil {
		r, err := c.release(ctx)
		if err != nil {
			return did, fmt.Errorf("balance: the master has done it: %w", err)
		}
		did.Silent = r.String()
	}
	return did, nil
}

// SetBalancer switches the balancer and returns what it was before.
func (c *Client) SetBalancer(ctx context.Context, on bool) (before bool, err error) {
	response, wait := &hbasepb.SetBalancerRunningResponse{}, true
	err = c.change(ctx, "SetBalancerRunning", &hbasepb.SetBalancerRunningRequest{On: &on, Synchronous: &wait}, response)
	if err != nil {
		return false, fmt.Errorf("switch the balancer: %w", err)
	}
	return response.GetPrevBalanceValue(), nil
}

// BalancerOn reports whether the balancer is on.
func (c *Client) BalancerOn(ctx context.Context) (bool, error) {
	response := &hbasepb.IsBalancerEnabledResponse{}
	if err := c.query(ctx, "IsBalancerEnabled", &hbasepb.IsBalancerEnabledRequest{}, response); err != nil {
		return false, fmt.Errorf("read the balancer's state: %w", err)
	}
	return response.GetEnabled(), nil
}

// serverNamed finds a live server by HOST,PORT,STARTCODE, HOST,PORT, HOST:PORT or HOST.
func (c *Client) serverNamed(ctx context.Context, name string) (*hbasepb.ServerName, error) {
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return nil, err
	}
	wanted := strings.ReplaceAll(name, ":", ",")
	var matches, names []string
	for _, s := range cluster.Servers {
		names = append(names, s.Name)
		if s.Name == wanted || strings.HasPrefix(s.Name, wanted+",") {
			matches = append(matches, s.Name)
		}
	}
	switch len(matches) {
	case 1:
		return parseServer(matches[0])
	case 0:
		return nil, fmt.Errorf("no live region server %s: want one of %s", name, strings.Join(names, ", "))
	}
	slices.Sort(matches)
	return nil, fmt.Errorf("ambiguous region server %s: want one of %s", name, strings.Join(matches, ", "))
}

func parseServer(name string) (*hbasepb.ServerName, error) {
	parts := strings.Split(name, ",")
	if len(parts) == 3 {
		port, errPort := strconv.ParseUint(parts[1], 10, 32)
		code, errCode := strconv.ParseUint(parts[2], 10, 64)
		if errPort == nil && errCode == nil {
			small := uint32(port)
			return &hbasepb.ServerName{HostName: &parts[0], Port: &small, StartCode: &code}, nil
		}
	}
	return nil, fmt.Errorf("invalid region server name %q: want HOST,PORT,STARTCODE", name)
}
