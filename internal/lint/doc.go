// Package lint checks the rules of this module, as a test that needs no tool but Go:
//
//  1. every Go file of the module is parsed, whatever tags it stands behind (tree);
//  2. each import is held against the table of layers: arrows point downwards (layers, arrows);
//  3. no file names a database outside of its target's folder, but for a short list with a reason for each entry (words);
//  4. each file is held against the rules that can be counted: files stay small, nothing is left for later,
//     tests neither skip nor sleep, packages say what they are for (rules);
//  5. each registry, such as the formats of reports, is held against the table of its document (registries);
//  6. the README in Chinese is held against the one in English (readme).
//
// A small tree that breaks each rule once, testdata/broken.txtar, shows that the checks do see.
package lint
