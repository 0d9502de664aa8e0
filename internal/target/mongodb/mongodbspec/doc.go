// Package mongodbspec describes the target mongodb: its properties, the settings that they mean, its actions and its figures.
package mongodbspec
