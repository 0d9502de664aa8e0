package main

// What Ctrl-C and its like do to who waits for a suite. A step takes what the user or the system says and
// returns what is to be done about it; nothing else decides.

// onInterrupt is what the first Ctrl-C means.
type onInterrupt int

const (
	askFirst onInterrupt = iota // there is a terminal to ask on
	detach                      // there is none: the suite goes on
	cancel                      // --cancel-on-interrupt, and always for a suite in this process
)

// said is what the user or the system says.
type said int

const (
	interrupted said = iota // Ctrl-C
	terminated              // SIGTERM or SIGHUP: nobody is there to be asked
	yes
	no
)

// decision is what is to be done.
type decision int

const (
	nothing    decision = iota
	doAsk               // whether to cancel
	doContinue          // take the question back
	doCancel            // and wait for the end
	doLeave             // without waiting any longer
)

// interruption knows what has been said so far.
type interruption struct {
	first      onInterrupt
	asking     bool
	cancelling bool
}

func (i *interruption) step(s said) decision {
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
