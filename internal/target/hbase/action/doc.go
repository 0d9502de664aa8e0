// Package action carries out what an administrator of HBase would do by hand, by the names that `benchctl admin hbase`
// and a run's settings have for it:
//
//  1. Open connects to the cluster that the properties name.
//  2. Act checks the whole action before anything is done, and does it through package admin.
//  3. What it found comes back as lines or as a table.
//
// To a sandbox more can be done (Sandboxes): faults are added and cleared where it is steered. A fault that a run has added
// is its own, so that it can be ended with the run.
//
// What destroys rows is refused for tables that benchd did not create, unless it is forced.
package action
