package sql

// UseGeneral makes all sessions of the engine run every statement by the general operators, parsed and planned anew.
func (e *Engine) UseGeneral() { e.general = true }

// Remembered is how many statements the session has found by their texts and can run again without parsing.
func (s *Session) Remembered() int {
	n := 0
	for _, x := range s.texts.byText {
		if x.q != nil || x.stmts != nil {
			n++
		}
	}
	return n
}
