package credential

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const childVariable = "BENCHD_TEST_SHIELD"

// TestMain also is the process that the test of Shield looks at. It ends with its standard input.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	if err := Shield(); err != nil {
		fmt.Println(err)
		return
	}
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	fmt.Println(dumpable, err)
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

func TestAShieldedProcessWritesNoCoreDumps(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "0 <nil>\n", line, "no dump, also where dumps go to a program")
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", child.Process.Pid))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^Max core file size +0 +0 `, string(limits))
	require.NoError(t, in.Close())
	require.NoError(t, child.Wait())
}
