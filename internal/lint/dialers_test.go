//go:build !race

package lint

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// dialing are the folders whose code connects to addresses that submissions and other servers name.
func dialing() []string {
	return []string{"internal/target", "internal/observe", "internal/agent", "internal/load", "internal/sandbox/control"}
}

// ownDialers finds code that connects by another way than package outbound: with a dialer or an HTTP client of its own.
func ownDialers(t tree) []finding {
	functions := map[string][]string{
		"net":  {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer"},
		"tls":  {"Dial", "DialWithDialer", "Dialer"},
		"http": {"Transport", "DefaultTransport", "DefaultClient", "Get", "Head", "Post", "PostForm"},
	}
	var found []finding
	for _, f := range t.files {
		if f.test() || f.generated() || !slices.ContainsFunc(dialing(), func(dir string) bool { return within(f.path, dir) }) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && slices.Contains(functions[pkg.Name], n.Sel.Name) {
					found = append(found, t.at(f, n.Pos(), "%s.%s: connect by package outbound", pkg.Name, n.Sel.Name))
				}
			case *ast.CompositeLit:
				if s, ok := n.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Client" {
					if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "http" {
						found = append(found, t.at(f, n.Pos(), "http.Client: use outbound.Client"))
					}
				}
			}
			return true
		})
	}
	return found
}

func TestAgentsConnectOnlyByOneDialer(t *testing.T) {
	tree, err := readTree("../..")
	require.NoError(t, err)
	for _, f := range ownDialers(tree) {
		t.Error(f)
	}
	flawed, err := readTree("testdata/dialers")
	require.NoError(t, err)
	found := make([]string, 0, 3)
	for _, f := range ownDialers(flawed) {
		found = append(found, f.text)
	}
	require.Equal(t, []string{
		"net.Dialer: connect by package outbound", "http.Client: use outbound.Client", "http.Transport: connect by package outbound",
	}, found)
}
