//go:build race

package tokenizer

// raceEnabled: under the race detector pools drop what they are given.
const raceEnabled = true
