// Package action executes the actions on PostgreSQL that `benchctl admin postgres` and a run's settings name.
//
// An action that deletes rows is refused for tables that benchd did not create, unless it is forced.
package action
