package view

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/benchd/benchd/internal/remote"
)

// Key is what a user pressed.
type Key int

// The keys that mean something.
const (
	Interrupt Key = iota // Ctrl-C, which a terminal that Live shows on does not make a signal of
	Yes
	No
)

// Live keeps a terminal showing a snapshot. Its user must Close it.
type Live struct {
	program *tea.Program
	out     *os.File
	done    chan struct{} // closed when the terminal is as it was
	err     error         // set before done is closed
}

// StartLive begins to show on out, a terminal. Keys are read from in, if that is a terminal too; else in is nil,
// and Ctrl-C stays a signal. A key is lost when keys has no room.
func StartLive(in, out *os.File, keys chan<- Key) *Live {
	options := []tea.ProgramOption{
		tea.WithOutput(out),
		tea.WithoutSignalHandler(), // signals are the command's
	}
	if in == nil {
		options = append(options, tea.WithInput(nil))
	} else {
		options = append(options, tea.WithInput(in))
	}
	v := &Live{
		program: tea.NewProgram(screen{snapshot: &Snapshot{}, keys: keys, width: 80, height: 24}, options...),
		out:     out,
		done:    make(chan struct{}),
	}
	go func() {
		defer close(v.done)
		_, v.err = v.program.Run()
	}()
	return v
}

// Progress shows p.
func (v *Live) Progress(p remote.Progress) { v.program.Send(p) }

// Tell shows a.
func (v *Live) Tell(a Aside) { v.program.Send(a) }

// Write sets a line of a log above what is shown.
func (v *Live) Write(text []byte) (int, error) {
	select {
	case <-v.done:
		return v.out.Write(text)
	default:
		v.program.Send(tea.Println(strings.TrimRight(string(text), "\n"))())
		return len(text), nil
	}
}

// Close leaves what was shown last on the terminal and gives the terminal back.
func (v *Live) Close() error {
	v.program.Quit()
	<-v.done
	if v.err != nil {
		return fmt.Errorf("show on the terminal: %w", v.err)
	}
	return nil
}

// screen is what bubbletea runs.
type screen struct {
	snapshot      *Snapshot
	keys          chan<- Key
	width, height int
}

// Init implements tea.Model.
func (screen) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case remote.Progress:
		m.snapshot.Add(msg)
	case Aside:
		m.snapshot.Aside = msg
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.press(msg.String())
	}
	return m, nil
}

func (m screen) press(key string) tea.Cmd {
	var k Key
	switch key {
	case "ctrl+c":
		k = Interrupt
	case "ctrl+z":
		return tea.Suspend
	case "y", "Y":
		k = Yes
	case "n", "N", "enter", "esc":
		k = No
	default:
		return nil
	}
	select {
	case m.keys <- k:
	default:
	}
	return nil
}

// View implements tea.Model.
func (m screen) View() tea.View {
	if m.snapshot.Progress.Status == "" {
		return tea.NewView("")
	}
	// The line that the cursor stands on at the end is wiped: it must not be one of these.
	return tea.NewView(strings.Join(Render(m.snapshot, m.width, m.height-1, Colours()), "\n") + "\n")
}
