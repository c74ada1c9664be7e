package catalog

import (
	"strings"
	"testing"
)

// The expected names are those PostgreSQL 15 made for the same statements.
func TestNamesAreThoseOfPostgreSQL(t *testing.T) {
	a63, b63 := strings.Repeat("a", 63), strings.Repeat("b", 63)
	for _, c := range []struct{ got, want string }{
		{objectName("trade", "", labelPrimary), "trade_pkey"},
		{objectName("trade", indexNamePart([]string{"t_ca_id", "t_dts"}), labelIndex), "trade_t_ca_id_t_dts_idx"},
		{objectName("trade", "t_qty", labelCheck), "trade_t_qty_check"},
		{objectName("t", indexNamePart([]string{"a", "b"}), labelUnique), "t_a_b_key"},
		{objectName("t", indexNamePart([]string{"a", "a"}), labelIndex), "t_a_a1_idx"},
		{objectName(a63, b63, labelCheck), strings.Repeat("a", 28) + "_" + strings.Repeat("b", 28) + "_check"},
		{objectName(a63, "", labelPrimary), strings.Repeat("a", 58) + "_pkey"},
		{objectName(a63, b63, labelUnique), strings.Repeat("a", 29) + "_" + strings.Repeat("b", 29) + "_key"},
		{objectName(a63, strings.Repeat("é", 30), labelUnique), strings.Repeat("a", 29) + "_" + strings.Repeat("é", 14) + "_key"},
	} {
		if c.got != c.want {
			t.Errorf("made %q, PostgreSQL makes %q", c.got, c.want)
		}
	}
}

func TestTakenNamesGetNumbers(t *testing.T) {
	taken := map[string]bool{"t_a_idx": true, "t_a_idx1": true}
	name, err := chooseName("t", "a", labelIndex, func(s string) (bool, error) { return taken[s], nil })
	if name != "t_a_idx2" || err != nil {
		t.Errorf("chose %q, %v", name, err)
	}
}

func TestTruncateNameKeepsWholeCharacters(t *testing.T) {
	if got := TruncateName(strings.Repeat("é", 40)); got != strings.Repeat("é", 31) {
		t.Errorf("cut to %q", got)
	}
}
