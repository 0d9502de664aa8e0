// Package action executes the actions of `benchctl admin sequoiadb` and of a run's settings.
package action
