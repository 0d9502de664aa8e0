package cli

import "runtime/debug"

// Version joins a version and a commit. If the linker did not set them, it takes them from the build's own information, if there
// is any.
func Version(version, commit string, info *debug.BuildInfo) string {
	modified := ""
	if info != nil {
		if version == "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && commit == "":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = ".modified"
			}
		}
	}
	if version == "" {
		version = "devel"
	}
	if commit == "" {
		return version
	}
	return version + "+" + commit[:min(len(commit), 12)] + modified
}
