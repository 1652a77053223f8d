// Package dispatch has what mails, messages to channels and delivered files have in common: the
// periods that are due, the wait until their figures are complete, the pauses between tries and
// what follows from an answer, the recording of a result, and the workers that send. What is sent
// and by which protocol, packages mail and delivery know.
package dispatch
