// Package scripts tests the scripts of the repository with programs that only pretend:
//
//  1. A test writes small shell programs that stand for Java, benchctl or make, and where a script needs one, a repository
//     with some files.
//  2. It runs the script with them and looks at its exit code and at what it prints.
package scripts
