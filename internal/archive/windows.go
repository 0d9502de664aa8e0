package archive

import "time"

// Receipt says what became of one window of AddWindows.
type Receipt struct {
	// Fresh says that the window was stored now. A window that is neither Fresh nor has an Err was there
	// already: it may be acknowledged, and must not be merged again.
	Fresh bool
	// Err says why this window alone was not stored and never will be: ErrNotFound when the archive does not
	// have its run, ErrEnded when that has ended, ErrInvalid when the window contradicts itself.
	Err error
}

// Count is which windows of one shard's attempt at a phase are in the archive.
type Count struct {
	Phase          string
	Shard, Attempt int
	Windows        int  // how many
	Highest        int  // the highest seq
	Last           bool // the shard's last window of the phase is there
	Ops            uint64
	From, Until    time.Duration // of all windows, since the phase's start
	// Missing are the gaps below Highest.
	Missing []Gap
}

// Gap is a range of windows that are not there, both ends included.
type Gap struct{ From, To int }

// PhaseExtent is how far the windows of a run's phase reach.
type PhaseExtent struct {
	Run, Phase string
	Ended      bool          // the run has
	Windows    int           // the highest number of a window, and one
	Length     time.Duration // where the newest window ends
	Rolled     int           // how many windows of a shard are rolled into one, where that has been done; at least 1
	RolledTo   int           // below this number all windows are rolled up
}

// RollUp says what is to be rolled up: the windows of a phase that begin within the same Step become one, shard by
// shard. Windows themselves stay, with all their figures; their histograms are merged into the first of each Step.
type RollUp struct {
	Run, Phase string
	Step       time.Duration
	Windows    int // how many windows a Step is long
	Before     int // windows from this number on are left alone: some may still be on their way
}
