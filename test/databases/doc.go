// Package databases tests suites on several databases at once: their own tests are beside their drivers.
package databases
