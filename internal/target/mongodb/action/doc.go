// Package action carries out the actions of MongoDB: `benchctl admin mongodb`, and those of runs.
package action
