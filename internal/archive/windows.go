package archive

import "time"

// Receipt is the outcome of one window of AddWindows.
type Receipt struct {
	// Fresh reports that the window is new. A window that is neither Fresh nor has an Err was already stored: it may be
	// acknowledged, and must not be merged again.
	Fresh bool
	// Err is the reason why this window was not stored and never will be: ErrNotFound if the archive does not have its
	// run, ErrEnded if the run has ended, ErrInvalid if the window is inconsistent.
	Err error
}

// Count describes the windows of one shard's attempt at a phase in the archive.
type Count struct {
	Phase          string
	Shard, Attempt int
	Windows        int  // how many
	Highest        int  // the highest seq
	Last           bool // the shard's last window of the phase is stored
	Ops            uint64
	From, Until    time.Duration // of all windows, since the phase's start
	// Missing are the gaps below Highest.
	Missing []Gap
}

// Gap is a range of missing windows, both ends included.
type Gap struct{ From, To int }

// PhaseExtent is the extent of the windows of a run's phase.
type PhaseExtent struct {
	Run, Phase string
	Ended      bool          // the run has
	Shards     int           // of the run
	Windows    int           // the highest number of a window, and one
	Length     time.Duration // where the newest window ends
	Rolled     int           // how many windows of a shard are rolled into one, below RolledTo; at least 1
	RolledTo   int           // below this number all windows are rolled up
}

// RollUp describes a roll-up: the windows of a phase that begin within the same Step become one, shard by shard. The windows
// themselves stay, with all their figures; their histograms are merged into the first of each Step.
type RollUp struct {
	Run, Phase string
	Step       time.Duration
	Windows    int // the length of a Step in windows
	Before     int // windows from this number on are left alone: some may still arrive
}
