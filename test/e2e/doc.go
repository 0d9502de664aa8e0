// Package e2e tests benchd as users run it: the built programs, each in its own process, connected over the loopback interface. Its
// tests have the tag `integration`: make test-integration.
package e2e
