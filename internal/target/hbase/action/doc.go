// Package action carries out the actions on HBase that `benchctl admin hbase` and a run's settings name:
//
//  1. Open connects to the cluster that the properties name.
//  2. Act validates the whole action before it does anything, and carries it out through package admin.
//  3. Its result is lines of text or a table.
//
// A sandbox has more actions (Sandboxes): faults are added and cleared through its control API. A fault records the run that
// added it, so that it can be cleared when the run ends.
//
// An action that deletes rows is refused for tables that benchd did not create, unless it is forced.
package action
