package cli

import (
	"path/filepath"

	"github.com/benchd/benchd/internal/config"
	"github.com/benchd/benchd/internal/profile"
)

// Profiles returns the folder of this user's profiles. A user without a configuration folder has none.
func Profiles() profile.Folder {
	dir := config.UserFolder()
	if dir == "" {
		return profile.Folder{}
	}
	return profile.In(filepath.Join(dir, "benchd", "profiles"))
}
