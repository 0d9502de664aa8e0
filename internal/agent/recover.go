package agent

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	benchdv1 "github.com/benchd/benchd/internal/gen/benchd/v1"
	"github.com/benchd/benchd/internal/plan"
	"github.com/benchd/benchd/internal/spool"
	"github.com/benchd/benchd/internal/wire"
)

// spoolSpare is the space of the disk that windows leave free.
const spoolSpare = 64 << 20

// restartedReason is why a phase of an earlier process of the agent's name ended.
const restartedReason = "the agent was restarted"

// openRoom opens the directory of this agent's windows, and restores the shards of which an earlier process left some.
func (a *Agent) openRoom() error {
	if a.config.Spool == "" {
		return nil
	}
	// A coordinator makes agents drop windows of unknown runs: those of another coordinator are in another directory.
	folder, err := a.folder()
	if err != nil {
		return err
	}
	folder, err = spool.Below(folder, filepath.Join("windows", url.PathEscape(a.config.Name+"@"+a.config.Coordinator)))
	if err != nil {
		return inSpool(err)
	}
	dir := folder.Name()
	disk, err := spool.Open(folder, spool.Options{Free: freeDisk, Spare: spoolSpare})
	if locked, is := errors.AsType[*spool.LockedError](err); is {
		other := "another process"
		if locked.PID > 0 {
			other = fmt.Sprintf("process %d", locked.PID)
		}
		return wire.Errorf(wire.ErrNameTaken, "%s on this machine is already agent %q of the coordinator at %s, and uses %s: end it, or start this agent with another --name",
			other, a.config.Name, a.config.Coordinator, dir)
	}
	if err != nil {
		return fmt.Errorf("%w; set a writable directory with --spool", err)
	}
	a.windows.disk = disk
	if n := disk.Damage(); n > 0 {
		a.log.Warn("cannot read part of the spool of an earlier process", "directory", dir, "bytes", n)
	}
	for place, record := range disk.Left() {
		w := new(benchdv1.Window)
		if err := proto.Unmarshal(record, w); err != nil || w.GetId().GetRun() == "" {
			a.log.Warn("cannot read a spooled window", "directory", dir, "error", err)
			disk.Remove(place)
			continue
		}
		a.adopt(w, place, int64(len(record)))
	}
	a.windows.spooler.start(&a.windows, &a.mu)
	for _, s := range a.shards {
		a.log.Info("windows of an earlier process will be delivered", "run", s.key.run, "shard", s.key.shard, "windows", s.kept.len())
	}
	return nil
}

// folder opens the folder of Config.Spool.
func (a *Agent) folder() (*os.Root, error) {
	if a.config.SpoolBase == "" {
		folder, err := spool.Folder(a.config.Spool)
		return folder, inSpool(err)
	}
	path, err := filepath.Rel(a.config.SpoolBase, a.config.Spool)
	if err != nil {
		return nil, inSpool(err)
	}
	folder, err := spool.FolderBelow(a.config.SpoolBase, path)
	return folder, inSpool(err)
}

// CheckSpool returns why an agent would refuse the spool dir, below base if that is given (see Config.SpoolBase). It makes nothing.
func CheckSpool(dir, base string) error {
	if base == "" {
		return inSpool(spool.Check(dir))
	}
	path, err := filepath.Rel(base, dir)
	if err != nil {
		return inSpool(err)
	}
	return inSpool(spool.CheckBelow(base, path))
}

// inSpool adds the cure to an error of the spool.
func inSpool(err error) error {
	if _, has := errors.AsType[*spool.FolderError](err); err == nil || has {
		return err
	}
	return fmt.Errorf("open spool: %w; set a writable directory with --spool", err)
}

// adopt restores a window of an earlier process.
func (a *Agent) adopt(w *benchdv1.Window, place spool.Place, size int64) {
	s := a.shards[keyOf(w.GetId())]
	if s == nil {
		s = a.newHeir(keyOf(w.GetId()), w.GetBootId())
		a.shards[s.key] = s
	}
	s.kept.windows = append(s.kept.windows, &keptWindow{shard: &s.kept, phase: w.GetPhase(), seq: w.GetSeq(), place: place, bytes: size})
	s.kept.bytes += size

	// The end of the phase in the earlier process follows from its newest window: the number of windows and the
	// cumulative counts.
	s.phase = plan.PhaseName(w.GetPhase())
	end := &benchdv1.PhaseEnded{
		Id: w.GetId(), Phase: w.GetPhase(), EndedNs: w.GetEndNs(), Windows: w.GetSeq() + 1,
		Issued: w.GetIssued(), Recorded: w.GetRecorded(), Final: true,
	}
	if !w.GetLast() {
		end.Left = restartedReason
	}
	s.ended = []*benchdv1.PhaseEnded{end}
}

// newHeir returns a shard of an earlier process, of which only windows are left. boot is that process's boot id; a spool of an
// older build has none, and the coordinator refuses its windows.
func (a *Agent) newHeir(key shardKey, boot string) *shard {
	s := &shard{
		a: a, key: key, number: len(a.shards), recovered: true, measured: boot, ready: make(chan struct{}),
		log:  a.log.With("run", key.run, "shard", key.shard),
		kept: keptWindows{store: &a.windows},
	}
	close(s.ready)
	s.preparing, s.giveUp = context.WithCancel(context.Background())
	return s
}

// refuse ends a phase that an heir was ordered to start: the policy on lost agents decides how the run continues.
func (s *shard) refuse(phase string) {
	s.conclude(&benchdv1.PhaseEnded{Id: s.key.id(), Phase: wire.Text(phase), Final: true, Left: restartedReason})
}
