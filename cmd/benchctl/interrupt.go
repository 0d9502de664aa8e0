package main

// This file has the state machine of a command that waits for a suite: a step takes an answer of the user or a signal, and returns
// the decision.

// onInterrupt is the meaning of the first Ctrl-C.
type onInterrupt int

const (
	askFirst onInterrupt = iota // there is a terminal to ask on
	detach                      // there is none: the suite continues
	cancel                      // --cancel-on-interrupt, and always for a suite in this process
)

// input is an answer of the user or a signal.
type input int

const (
	interrupted input = iota // Ctrl-C
	terminated               // SIGTERM or SIGHUP: nobody can answer a question
	yes
	no
)

// decision is the next action of the command.
type decision int

const (
	nothing    decision = iota
	doAsk               // whether to cancel
	doContinue          // withdraw the question
	doCancel            // and wait for the end
	doLeave             // without waiting any longer
)

// interruption is the state: the effect of earlier answers and signals.
type interruption struct {
	first      onInterrupt
	asking     bool
	cancelling bool
}

func (i *interruption) step(s input) decision {
	switch s {
	case interrupted:
		switch {
		case i.cancelling, i.asking, i.first == detach:
			return doLeave
		case i.first == cancel:
			i.cancelling = true
			return doCancel
		}
		i.asking = true
		return doAsk
	case terminated:
		if i.first != cancel || i.cancelling {
			return doLeave
		}
		i.cancelling = true
		return doCancel
	case yes:
		if i.asking {
			i.asking, i.cancelling = false, true
			return doCancel
		}
	case no:
		if i.asking {
			i.asking = false
			return doContinue
		}
	}
	return nothing
}
