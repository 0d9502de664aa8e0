// Package lint checks the rules of this module, as tests that need no tool but Go:
//
//  1. tree parses every Go file of the module, tagged ones included;
//  2. layers and arrows compare each import with the table of layers: imports point downwards;
//  3. words rejects code outside of a target's folder that names a database, with a short list of exceptions;
//  4. wordlist rejects words that make code and documents hard to read, with a short list of exceptions;
//  5. rules checks what can be counted: files stay small, no work is left for later, tests neither skip nor sleep, those
//     that the race detector never sees start no goroutine, packages have a doc comment;
//  6. registries compares each registry, such as the formats of reports, with the table of its document;
//  7. readme compares pages in Chinese with those in English;
//  8. messages looks up each message that docs/troubleshooting.md quotes in the code.
//
// testdata/broken.txtar, a small tree that breaks each rule once, shows that the checks find it.
package lint
