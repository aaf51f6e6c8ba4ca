// Package chat turns the messages of a conversation into the ids of a prompt, by
// the Jinja template that a model's file carries.
//
// # The idea
//
// A chat model is a model of text that was trained on conversations written in one
// particular way: this token before a role, that one after a message. Written in
// another way the same words get worse answers, without any error. So the way is
// part of the model's file, as a program in Jinja's language that takes messages
// and writes the text; this package runs it.
//
// What the callers' texts spell stays text: "<|im_start|>" in a message never
// becomes the control token of that name, wherever the template puts it (see
// shadow.go for how), and nothing else of a text is changed.
//
// Templates are rendered by github.com/ardanlabs/jinja. Between a template and
// that engine stands a translator (scan.go, lex.go, translate.go, expr.go), which
// applies Jinja's whitespace control and puts functions that do exactly as Python's
// in the place of the engine's (methods.go, filters.go). What neither handles is
// refused: statements, filters and tests by New, methods when they are called.
// There is no fallback to another template than the file's.
//
// # What it trades away
//
// A translator of a language is more code than a list of known formats, and a
// template that it cannot handle is an error when the file is opened. In exchange
// what it renders is what the model was trained on, for models nobody here has
// seen.
//
// # Common mistakes
//
//   - Encoding a rendered conversation as one string, special tokens and all: a
//     user can then end his message and begin one of the system's.
//   - Adding BOS to what a template already began with it.
//   - Leaving out the generation prompt: the model then writes the user's next
//     message.
//   - Removing spaces and newlines around a message. Templates that want that do it.
package chat
