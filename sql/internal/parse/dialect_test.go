package parse

import "testing"

// The schema and the import that the project's main job is shown with.
const tradeSchema = `
CREATE TABLE trade (
  t_id INT8 NOT NULL PRIMARY KEY, t_dts TIMESTAMP NOT NULL, t_st_id VARCHAR(4) NOT NULL, t_tt_id VARCHAR(3) NOT NULL,
  t_is_cash BOOL NOT NULL, t_s_symb VARCHAR(15) NOT NULL, t_qty INT4 NOT NULL CHECK (t_qty > 0),
  t_bid_price DECIMAL(8,2) NOT NULL CHECK (t_bid_price > 0), t_ca_id INT8 NOT NULL, t_exec_name VARCHAR(49) NOT NULL,
  t_trade_price DECIMAL(8,2), t_chrg DECIMAL(10,2) NOT NULL CHECK (t_chrg >= 0), t_comm DECIMAL(10,2) NOT NULL CHECK (t_comm >= 0),
  t_tax DECIMAL(10,2) NOT NULL CHECK (t_tax >= 0), t_lifo BOOL NOT NULL,
  FAMILY (t_id), FAMILY (t_comm, t_dts, t_st_id, t_trade_price, t_exec_name, t_tt_id, t_is_cash, t_s_symb, t_qty, t_bid_price, t_ca_id, t_chrg, t_lifo), FAMILY (t_tax));
CREATE INDEX ON trade (t_ca_id, t_dts DESC) STORING (t_st_id, t_tt_id, t_is_cash, t_s_symb, t_qty, t_bid_price, t_exec_name, t_trade_price, t_chrg);
CREATE INDEX ON trade (t_s_symb, t_dts ASC) STORING (t_ca_id, t_exec_name, t_is_cash, t_trade_price, t_qty, t_tt_id);
IMPORT INTO trade CSV DATA ('nodelocal://1/*/Trade.txt') WITH delimiter = '|', DETACHED;
`

func TestTradeSchema(t *testing.T) {
	stmts, err := Parse(tradeSchema)
	if err != nil {
		t.Fatal(err)
	}
	table := stmts[0].AST.(*CreateTableStmt)
	if len(table.Columns) != 15 || len(table.Families) != 3 || len(table.Families[1].Columns) != 13 {
		t.Errorf("columns and families: %+v", table)
	}
	qty := table.Columns[6]
	check := qty.Constraints[1]
	if qty.Type.Name() != "int4" || check.Kind != CheckConstraint || check.Text != "t_qty > 0" {
		t.Errorf("t_qty: %+v, %+v", qty, check)
	}
	if e, ok := check.Expr.(*BinaryExpr); !ok || e.Op != ">" {
		t.Errorf("the check is %#v", check.Expr)
	}
	index := stmts[1].AST.(*CreateIndexStmt)
	if !index.Items[1].Desc || len(index.Include) != 9 || index.Name != "" {
		t.Errorf("the first index is %+v", index)
	}
	imp := stmts[3].AST.(*ImportStmt)
	if !imp.Detached || len(imp.Options) != 1 || imp.Options[0].Value.Text != "|" || imp.Format != "csv" {
		t.Errorf("the import is %+v", imp)
	}
}
