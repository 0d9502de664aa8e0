// Package e2e tests benchd as its users have it: the built programs, each in a process of its own, talking over
// the loopback interface. Its tests are behind the tag `integration`: make test-integration.
package e2e
