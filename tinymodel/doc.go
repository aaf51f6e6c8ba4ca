// Package tinymodel has a very small language model inside: two million
// parameters, trained by this project on text that this project writes. It
// tells short stories, goes on with one that somebody has begun, and answers
// easy questions; what it was not taught it does not know, and it makes
// mistakes. It is there so that a first try, an example or a test has a model
// that answers, without a file and without a network.
//
//	m, err := minillm.OpenBytes(tinymodel.GGUF, minillm.Options{})
//
// The package is one of its own so that a program that brings its own model
// does not carry this one. Its README is the model card: what was learned from
// what, how well, and how to train it again.
package tinymodel
