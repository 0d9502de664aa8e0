// Package watch collects telemetry from the servers of an HBase during a run. It finds the servers in the status of the cluster
// and reads single JMX beans of each. For a server without readable beans it uses what the server reports to the master. Changes
// of the cluster between two reads become events.
package watch
