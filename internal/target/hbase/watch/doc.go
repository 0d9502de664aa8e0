// Package watch watches the servers of an HBase while a run goes on. It finds them by itself, in the status of the cluster, and asks
// each for single beans; what the master was told of the others' regions stands for beans that are not to be had. What has
// happened to the cluster between two looks are events.
package watch
