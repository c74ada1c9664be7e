package source

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"minidb/sql/sqlerr"
	"minidb/storage/vfs"
)

// Expand returns the files in dir that the patterns stand for, sorted and each
// once. A pattern is a slash path relative to dir in which *, ? and […] mean what
// they mean in path.Match; they do not match slashes.
//
// Errors: 42501 for a path that leaves dir, 58P01 for a pattern without a file,
// 22023 for a malformed pattern.
func Expand(fsys vfs.FS, dir string, patterns []string) ([]string, error) {
	var names []string
	for _, pattern := range patterns {
		clean := path.Clean(pattern)
		if pattern == "" || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
			return nil, sqlerr.New(sqlerr.InsufficientPrivilege, "path %q is outside of the import directory", pattern)
		}
		if _, err := path.Match(clean, ""); err != nil {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "malformed file name pattern %q", pattern)
		}
		found, err := expandFrom(fsys, dir, "", strings.Split(clean, "/"))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fileError(pattern, "open file %q for reading", fs.ErrNotExist)
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// expandFrom matches the elements of a pattern below dir/at.
func expandFrom(fsys vfs.FS, dir, at string, elements []string) ([]string, error) {
	first, rest := elements[0], elements[1:]
	candidates := []string{first}
	if strings.ContainsAny(first, `*?[\`) {
		names, err := fsys.List(path.Join(dir, at))
		if err != nil {
			return nil, fileError(path.Join(at, first), "open directory of %q", err)
		}
		candidates = slices.DeleteFunc(names, func(name string) bool {
			// As in a shell, a leading dot has to be asked for.
			ok, _ := path.Match(first, name)
			return !ok || name[0] == '.' && first[0] != '.'
		})
	}
	var found []string
	for _, name := range candidates {
		name = path.Join(at, name)
		info, err := fsys.Stat(path.Join(dir, name))
		switch {
		case err != nil || info.IsDir != (len(rest) > 0):
			continue // what does not match is not there
		case len(rest) == 0:
			found = append(found, name)
			continue
		}
		deeper, err := expandFrom(fsys, dir, name, rest)
		if err != nil {
			return nil, err
		}
		found = append(found, deeper...)
	}
	return found, nil
}
