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

// The keys that have a meaning.
const (
	Interrupt Key = iota // Ctrl-C, which is not a signal on the terminal of a Live
	Yes
	No
)

// Live shows a snapshot on a terminal. Its user must Close it.
type Live struct {
	program *tea.Program
	out     *os.File
	done    chan struct{} // closed when the terminal is restored
	err     error         // set before done is closed
}

// StartLive starts a Live on out, a terminal. Keys are read from in if that is a terminal, too; otherwise in is nil and Ctrl-C
// remains a signal. A key is lost if keys is full.
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

// ShowAside shows a.
func (v *Live) ShowAside(a Aside) { v.program.Send(a) }

// Write prints a line of a log above the snapshot.
func (v *Live) Write(text []byte) (int, error) {
	select {
	case <-v.done:
		return v.out.Write(text)
	default:
		v.program.Send(tea.Println(strings.TrimRight(string(text), "\n"))())
		return len(text), nil
	}
}

// Close leaves the last snapshot on the terminal and restores the terminal.
func (v *Live) Close() error {
	v.program.Quit()
	<-v.done
	if v.err != nil {
		return fmt.Errorf("show on the terminal: %w", v.err)
	}
	return nil
}

// screen is the model of bubbletea.
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
	// At the end the line of the cursor is erased: it must not be one of these.
	return tea.NewView(strings.Join(Render(m.snapshot, m.width, m.height-1, Colours()), "\n") + "\n")
}
