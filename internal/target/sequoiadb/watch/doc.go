// Package watch reads the figures of SequoiaDB's nodes and their machines during a run, from the snapshots of a coordinator, and
// reports nodes that leave, return, or become primary.
package watch
