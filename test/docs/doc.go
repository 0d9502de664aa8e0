// Package docs tests documents that no other package owns:
//
//  1. The pictures in docs/images are drawn from a recorded demo and from a description, in a light and a dark theme. With
//     -update the tests write them; make pictures records the demo first.
//  2. The pictures of the console are parts of those that the tests in a browser take: with -console they are taken from there.
//  3. The READMEs show the pictures, and are short.
package docs
