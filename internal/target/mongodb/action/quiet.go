package action

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/benchd/benchd/internal/load"
	"github.com/benchd/benchd/internal/target/mongodb/client"
)

const (
	quietEvery = 500 * time.Millisecond
	// quietChecks is how many checks in a row find nothing.
	quietChecks = 3
)

// quiet waits until the servers have no work of their own.
func (a *actor) quiet(ctx context.Context, _ map[string]string) (load.Answer, error) {
	begin := time.Now()
	logged := ""
	for quiet := 0; quiet < quietChecks; {
		left, err := a.unrest(ctx)
		if err != nil {
			return load.Answer{}, err
		}
		if left == "" {
			quiet++
		} else {
			quiet = 0
		}
		if left != logged {
			logged = left
			a.log.Info("waiting for quiet", "left", left)
		}
		if quiet == quietChecks {
			break
		}
		select {
		case <-ctx.Done():
			return load.Answer{}, fmt.Errorf("wait for quiet: %w; still at work: %s", ctx.Err(), left)
		case <-time.After(quietEvery):
		}
	}
	return answerf("quiet after %s", time.Since(begin).Round(100*time.Millisecond)), nil
}

// unrest describes the servers' own work; empty if there is none.
func (a *actor) unrest(ctx context.Context) (string, error) {
	var left []string
	if a.client.Hello.Mongos() {
		answer, err := a.client.AdminOnPrimary(ctx, bson.D{{Key: "balancerStatus", Value: 1}})
		if err != nil {
			return "", fmt.Errorf("read the balancer's status: %w", err)
		}
		if in, _ := answer.Lookup("inBalancerRound").BooleanOK(); in {
			left = append(left, "a round of the balancer")
		}
	}
	_, err := a.each(ctx, func(c *client.Client, address string, _ bool) error {
		work, err := ownWork(ctx, c)
		for _, one := range work {
			left = append(left, one+" on "+address)
		}
		return err
	})
	return strings.Join(left, ", "), err
}

// ownWork lists what a server does besides the operations of clients.
func ownWork(ctx context.Context, c *client.Client) ([]string, error) {
	answer, err := c.Admin(ctx, bson.D{{Key: "currentOp", Value: 1}})
	if err != nil {
		return nil, err //nolint:wrapcheck // each names the server
	}
	var current struct {
		Operations []struct {
			Command bson.Raw `bson:"command"`
			Message string   `bson:"msg"`
		} `bson:"inprog"`
	}
	if err := bson.Unmarshal(answer, &current); err != nil {
		return nil, fmt.Errorf("read the operations of the server: %w", err)
	}
	var work []string
	for _, op := range current.Operations {
		if strings.HasPrefix(op.Message, "Index Build") {
			work = append(work, "an index build")
			continue
		}
		elements, err := op.Command.Elements()
		if err != nil || len(elements) == 0 {
			continue
		}
		if name := elements[0].Key(); slices.Contains([]string{"compact", "createIndexes", "moveChunk", "moveRange", "_shardsvrMoveRange", "_recvChunkStart", "fsync"}, name) {
			work = append(work, name)
		}
	}
	return work, nil
}
