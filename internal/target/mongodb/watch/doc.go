// Package watch collects telemetry from the servers of a MongoDB during a run: serverStatus of every router, and of every member of the
// replica set or of each shard, which it asks directly. Changes between two reads become events: a server that was started again, and a
// new primary.
package watch
