// Package docs tests documents that no other package owns:
//
//  1. The pictures in docs/images are drawn from a recorded demo and from a description, in a light and a dark theme. With
//     -update the tests write them; make pictures records the demo first.
//  2. The READMEs show the pictures, and are short.
package docs
