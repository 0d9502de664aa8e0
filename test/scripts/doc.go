// Package scripts tests the scripts of the repository with fake programs:
//
//  1. A test writes small shell programs in place of Java, benchctl or make, and a repository with some files if a script needs
//     one.
//  2. It runs the script with them and checks its exit code and its output.
package scripts
