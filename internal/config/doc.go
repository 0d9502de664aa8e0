// Package config sets the flags of a command from four sources:
//
//  1. A command declares its flags with cobra; the functions of flags.go declare flags with readable error messages.
//  2. The name of a flag is its key in the file of --config and, with the prefix of the program, its variable:
//     --wait-agents, wait-agents, BENCHCTL_WAIT_AGENTS.
//  3. Load reads the file, strictly, and sets each flag: the command line wins over the environment, the environment
//     over the file, and the file over the default.
//  4. Origins contains the place of each value, for messages.
//
// One file serves all commands of a program: a key is known if any command has the flag. No other package of this
// project reads the environment.
package config
