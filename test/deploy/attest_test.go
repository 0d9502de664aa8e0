package deploy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
)

// platforms are those of a release.
var platforms = []string{"linux_amd64", "linux_arm64"}

// Each archive has a bill of materials, valid by CycloneDX's schema, with the hashes of its programs and every module that
// `go version -m` finds in them.
func TestArchivesHaveBillsOfMaterials(t *testing.T) {
	t.Parallel()
	dir := release(t)
	schema := billSchema(t)
	for _, platform := range platforms {
		name := "benchd_" + version + "_" + platform
		text := read(t, filepath.Join(dir, name+".cdx.json"))
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, schema.Validate(document))

		var bom cyclonedx.BOM
		require.NoError(t, json.Unmarshal([]byte(text), &bom))
		require.Equal(t, version, bom.Metadata.Component.Version)
		require.Equal(t, sum(t, filepath.Join(dir, name+".tar.gz")), (*bom.Metadata.Component.Hashes)[0].Value)
		components := map[string]cyclonedx.Component{}
		for _, c := range *bom.Components {
			components[c.BOMRef] = c
		}
		uses := map[string][]string{}
		for _, d := range *bom.Dependencies {
			uses[d.Ref] = *d.Dependencies
		}
		into := unpack(t, name)
		for _, p := range []string{"benchd", "benchctl"} {
			path, ref := filepath.Join(into, "bin", p), "bin/"+p
			require.Equal(t, sum(t, path), (*components[ref].Hashes)[0].Value, p)
			modules := 0
			for line := range strings.Lines(succeed(t, root, nil, "go", "version", "-m", path)) {
				if fields := strings.Fields(line); len(fields) >= 3 && fields[0] == "dep" {
					purl := "pkg:golang/" + fields[1] + "@" + strings.ReplaceAll(fields[2], "+", "%2B")
					require.Contains(t, uses[ref], purl, p)
					require.Contains(t, components, purl, p)
					modules++
				}
			}
			require.Greater(t, modules, 10, p)
			require.Len(t, uses[ref], modules+1, "%s: its modules and the standard library, and nothing else", p)
		}
	}
}

// The provenance binds archives and bills of materials to the commit and the version of Go, in the form of in-toto and SLSA.
func TestProvenanceNamesCommitAndDigests(t *testing.T) {
	t.Parallel()
	dir := release(t)
	var statement intoto.Statement
	require.NoError(t, protojson.Unmarshal([]byte(read(t, filepath.Join(dir, "provenance.intoto.json"))), &statement))
	require.NoError(t, statement.Validate())
	require.Equal(t, "https://slsa.dev/provenance/v1", statement.GetPredicateType())
	digests := map[string]string{}
	for _, s := range statement.GetSubject() {
		digests[s.GetName()] = s.GetDigest()["sha256"]
	}
	require.Len(t, digests, 2*len(platforms))
	for _, platform := range platforms {
		for _, kind := range []string{".tar.gz", ".cdx.json"} {
			name := "benchd_" + version + "_" + platform + kind
			require.Equal(t, sum(t, filepath.Join(dir, name)), digests[name], name)
		}
	}

	text, err := statement.GetPredicate().MarshalJSON()
	require.NoError(t, err)
	var p provenance.Provenance
	require.NoError(t, protojson.Unmarshal(text, &p))
	require.NoError(t, p.Validate())
	commit := strings.TrimSpace(succeed(t, root, nil, "git", "rev-parse", "HEAD"))
	build := p.GetBuildDefinition()
	require.Equal(t, commit, build.GetResolvedDependencies()[0].GetDigest()["gitCommit"])
	require.Equal(t, commit, build.GetExternalParameters().AsMap()["commit"])
	require.Equal(t, version, build.GetExternalParameters().AsMap()["version"])
	require.Equal(t, goEnv(t, "GOVERSION"), build.GetInternalParameters().AsMap()["go"])
	require.Contains(t, p.GetRunDetails().GetBuilder().GetId(), commit)
}

// billSchema is CycloneDX's schema, from the folder of its library.
func billSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir := strings.TrimSpace(succeed(t, "", nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go"))
	compiler := jsonschema.NewCompiler()
	for name, file := range map[string]string{
		"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(read(t, filepath.Join(dir, "schema", file))))
		require.NoError(t, err)
		require.NoError(t, compiler.AddResource("http://cyclonedx.org/schema/"+name, document))
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	require.NoError(t, err)
	return schema
}

// unpack unpacks an archive of the release.
func unpack(t *testing.T, name string) string {
	t.Helper()
	into := t.TempDir()
	succeed(t, "", nil, "tar", "-xzf", filepath.Join(release(t), name+".tar.gz"), "-C", into, "--strip-components=1")
	return into
}

// read is the text of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// sum is the SHA-256 of a file.
func sum(t *testing.T, path string) string {
	t.Helper()
	digest := sha256.Sum256([]byte(read(t, path)))
	return hex.EncodeToString(digest[:])
}
