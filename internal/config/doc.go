// Package config settles what the flags of a command are, from four places:
//
//  1. A command declares its flags with cobra; the functions of flags.go declare them with messages for people.
//  2. The name of a flag is its key in the file of --config; with the prefix of the program it is its variable:
//     --wait-agents, wait-agents, BENCHCTL_WAIT_AGENTS.
//  3. Load reads the file, strictly, and gives each flag its value: what was said on the command line goes over
//     the environment, that over the file, and that over the default.
//  4. Origins has where each value came from, so that a message about it can name the place.
//
// One file serves all commands of a program: a key is known when any of them has the flag. Nothing else in this
// project reads the environment.
package config
