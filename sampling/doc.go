// Package sampling turns logits into a token. It needs nothing but a []float32
// with one logit per token of the vocabulary, so it works with any model.
//
// # The idea
//
// A model does not say which token comes next but how much each fits: a number
// per token, the logit. Whoever always takes the highest gets the same, often dull
// and repetitive text each time. Whoever draws by the model's probabilities gets a
// token from the long tail now and then, each improbable by itself and together
// frequent, and the text derails. So one draws from a part of the distribution:
// what is left after filters, sharpened or flattened by a temperature.
//
// New makes a Sampler of Params, whose zero value is greedy. The stages in their
// order, each a function of its own on a []float32:
//
//	Penalize, AddBias   change single logits
//	Argmax              ends here where the temperature is 0
//	Temperature         divides all
//	TopK, TopP, MinP    write -Inf where a token may not be chosen
//	Draw                draws from what is left
//
// # The mathematics
//
// Logits x become probabilities by the softmax, at temperature T:
//
//	p(i) = exp(x(i)/T) / sum over j of exp(x(j)/T)
//
// As T goes to 0 all of it goes to the highest logit; as T grows all tokens become
// alike. Top-k keeps the k highest; top-p the fewest whose probabilities reach p
// together; min-p those with p(i) ≥ p · max p(j), so that the number that is
// kept follows how sure the model is. A draw is a number u in [0,1): the token is
// the one where u falls when the probabilities are laid side by side.
//
// # What it trades away
//
// A Sampler keeps no state. The history is an argument, and the random number is
// a function of seed and position (Coin). So a sequence comes out the same alone
// or in any batch, and again after preemption, and one Sampler may serve many; the
// price is that penalties count the history each time.
//
// Nothing is sorted that need not be: see Top and TopP. At a vocabulary of 150,000
// a step of the sampler would otherwise cost as much as one of a small model.
//
// # Common mistakes
//
//   - Asking for a filter at temperature 0: greedy has nothing to filter.
//   - Expecting the same of two engines with the same settings. Top-p after a high
//     temperature keeps many more tokens than before it; here, as in vLLM and
//     transformers, the temperature comes first, in llama.cpp by default last.
//   - A repetition penalty for code or JSON: brackets and names must repeat.
//   - The same seed for several answers to one prompt: they are all the same. See
//     ChoiceSeed.
//   - Taking NaN for a low logit. A NaN or +Inf is a fault of the model, and an
//     error here; -Inf alone means that a token cannot be chosen.
package sampling
