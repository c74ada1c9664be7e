package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minidb/kv"
	"minidb/sql/sqlerr"
	"minidb/sql/types"
	"minidb/storage/vfs"
)

var ctx = context.Background()

// fixture is a catalog in memory.
type fixture struct {
	t     *testing.T
	fs    vfs.FS
	db    *kv.DB
	store *Store
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, fs: vfs.NewMem()}
	f.open()
	t.Cleanup(func() { _ = f.db.Close() })
	return f
}

func (f *fixture) open() {
	f.t.Helper()
	var err error
	if f.db, err = kv.Open(ctx, kv.Options{Dir: "data", FS: f.fs}); err != nil {
		f.t.Fatal(err)
	}
	if f.store, err = Open(ctx, f.db, "admin"); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) begin() *View {
	f.t.Helper()
	txn, err := f.db.Begin(kv.TxnOptions{LockTimeout: 20 * time.Second})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(txn.Rollback)
	return f.store.View(txn)
}

func (f *fixture) commit(v *View) {
	f.t.Helper()
	if err := v.Txn().Commit(ctx); err != nil {
		f.t.Fatal(err)
	}
	v.Committed()
}

func (f *fixture) public(v *View) *Schema {
	f.t.Helper()
	db, err := v.Database(ctx, "postgres")
	if err != nil {
		f.t.Fatal(err)
	}
	s, err := v.Schema(ctx, db.ID, "public")
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// create makes a table of int8 columns in schema public.
func (f *fixture) create(v *View, name string, columns string, more func(b *Builder) error) (*Table, error) {
	f.t.Helper()
	b := v.NewBuilder(f.public(v), name)
	for _, c := range strings.Fields(columns) {
		if err := b.AddColumn(Column{Name: c, Type: types.Int8}); err != nil {
			return nil, err
		}
	}
	if more != nil {
		if err := more(b); err != nil {
			return nil, err
		}
	}
	t, err := b.Build(ctx)
	if err != nil {
		return nil, err
	}
	return t, v.CreateTable(ctx, t)
}

func (f *fixture) mustCreate(v *View, name string, columns string, more func(b *Builder) error) *Table {
	f.t.Helper()
	t, err := f.create(v, name, columns, more)
	if err != nil {
		f.t.Fatal(err)
	}
	return t
}

func (f *fixture) wantCode(err error, want sqlerr.Code) {
	f.t.Helper()
	if got := sqlerr.CodeOf(err); got != want {
		f.t.Errorf("error %v has code %s, want %s", err, got, want)
	}
}

func TestFirstStartMakesDatabasesSchemaAndSuperuser(t *testing.T) {
	f := newFixture(t)
	if err := f.db.Close(); err != nil {
		t.Fatal(err)
	}
	f.open() // the second start finds what the first made
	v := f.begin()
	c, err := v.Contents(ctx)
	if err != nil || len(c.Databases) != 3 || len(c.Schemas) != 3 || len(c.Roles) != 1 || len(c.Tables) != 0 {
		t.Fatalf("catalog has %+v, %v", c, err)
	}
	db, err := v.Database(ctx, "postgres")
	if err != nil || db.OID != 5 || !db.AllowConns {
		t.Errorf("database postgres is %+v, %v", db, err)
	}
	if s := f.public(v); s.ID != PublicSchema || s.OID != 2200 {
		t.Errorf("schema public is %+v", s)
	}
	role, err := v.Role(ctx, "admin")
	if err != nil || !role.Superuser || role.OID != 10 {
		t.Errorf("role admin is %+v, %v", role, err)
	}
	if _, err := v.Database(ctx, "nosuch"); !errors.Is(err, ErrNotFound) {
		t.Errorf("database nosuch: %v", err)
	}
}

func TestUnknownFormatIsRefused(t *testing.T) {
	f := newFixture(t)
	txn, err := f.db.Begin(kv.TxnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(txn.Put(metaKey("format"), []byte(`{"format":2}`)), txn.Commit(ctx)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, f.db, "admin"); err == nil || !strings.Contains(err.Error(), "format 2") {
		t.Errorf("opened a catalog of format 2: %v", err)
	}
}

func TestCreateAndDropFollowTheTransaction(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	tab := f.mustCreate(v, "t", "a b", func(b *Builder) error { return b.AddPrimaryKey("", []string{"a"}, nil) })
	if r, err := v.Relation(ctx, PublicSchema, "t_pkey", kv.TableAccessShare); err != nil || r.Table.ID != tab.ID || r.Index == nil {
		t.Errorf("own index is %+v, %v", r, err)
	}
	v.Txn().Rollback()

	v = f.begin()
	if _, err := v.Relation(ctx, PublicSchema, "t", kv.TableAccessShare); !errors.Is(err, ErrNotFound) {
		t.Errorf("table after rollback: %v", err)
	}
	again := f.mustCreate(v, "t", "a b", nil)
	if again.ID == tab.ID || again.OID == tab.OID {
		t.Errorf("id %d or OID %d was used again", again.ID, again.OID)
	}
	if found, err := f.begin().HasRelation(ctx, PublicSchema, "t"); found || err != nil {
		t.Errorf("others see an uncommitted table: %t, %v", found, err)
	}
	generation := f.store.Generation()
	f.commit(v)
	if f.store.Generation() == generation {
		t.Error("commit left the generation")
	}

	v = f.begin()
	r, err := v.Relation(ctx, PublicSchema, "t", kv.TableAccessExclusive)
	if err != nil || r.Table.ID != again.ID || r.Index != nil {
		t.Fatalf("table after commit is %+v, %v", r, err)
	}
	if byOID, err := v.TableByOID(ctx, again.OID); err != nil || byOID != r.Table {
		t.Errorf("table by OID is %+v, %v", byOID, err)
	}
	if err := v.DropTable(r.Table); err != nil {
		t.Fatal(err)
	}
	f.commit(v)
	it, err := f.begin().Txn().NewIter(ctx, kv.Span{Start: []byte{keyName, byte(nameRelation)}, End: []byte{keyMeta}}, kv.IterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for it.Next() {
		if it.Key()[0] != keyName || it.Key()[1] == byte(nameRelation) {
			t.Errorf("a dropped table leaves key %q", it.Key())
		}
	}
}

func TestNamesOfTablesAndIndexesCollide(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	tab := f.mustCreate(v, "t", "a b", func(b *Builder) error { return b.AddPrimaryKey("", []string{"a"}, nil) })
	f.commit(v)

	v = f.begin()
	_, err := f.create(v, "t", "a", nil)
	f.wantCode(err, sqlerr.DuplicateTable)
	_, err = f.create(v, "t_pkey", "a", nil)
	f.wantCode(err, sqlerr.DuplicateTable)
	_, err = f.create(v, "u", "a", func(b *Builder) error { return b.AddUnique("t", []string{"a"}, nil) })
	f.wantCode(err, sqlerr.DuplicateTable)
	_, err = v.NewIndex(ctx, tab, Index{Name: "t_pkey"}, nil)
	f.wantCode(err, sqlerr.DuplicateTable)
	for _, want := range []string{"t_b_idx", "t_b_idx1"} {
		x, err := v.NewIndex(ctx, tab, Index{Keys: []IndexColumn{{Column: 2}}, State: IndexPublic}, nil)
		if err != nil || x.Name != want {
			t.Fatalf("index is %+v, %v; want %s", x, err, want)
		}
		next := tab.Clone()
		next.Indexes = append(next.Indexes, x)
		if err := v.UpdateTable(ctx, tab, next); err != nil {
			t.Fatal(err)
		}
		tab = next
	}
	f.commit(v)
	if r, err := f.begin().Relation(ctx, PublicSchema, "t_b_idx1", kv.TableAccessShare); err != nil || r.Index.Name != "t_b_idx1" || r.Table.Version != 3 {
		t.Errorf("new index is %+v, %v", r, err)
	}
}

func TestConstraintNamesAreThoseOfPostgreSQL(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	check := func(expr string, columns ...ColumnID) func(b *Builder) error {
		return func(b *Builder) error { return b.AddCheck("", expr, columns) }
	}
	tab := f.mustCreate(v, "t", "a b c", func(b *Builder) error {
		return errors.Join(
			check("a > 0", 1)(b), check("a > 0 and b > 0", 1, 2)(b), check("a > 1", 1)(b),
			b.AddUnique("", []string{"a", "b"}, nil), b.AddUnique("", []string{"c"}, nil),
			b.AddPrimaryKey("", []string{"b"}, nil), b.AddUnique("named", []string{"b"}, nil))
	})
	var got []string
	for _, c := range tab.Checks {
		got = append(got, c.Name)
	}
	for _, x := range tab.AllIndexes() {
		got = append(got, x.Name)
	}
	// UNIQUE (b) makes no index beside the primary key's, but gives it its name.
	want := []string{"t_a_check", "t_check", "t_a_check1", "named", "t_a_b_key", "t_c_key"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	// x_y (z) and x (y_z) would have checks of one name in one schema.
	f.mustCreate(v, "x_y", "z", check("z > 0", 1))
	if x := f.mustCreate(v, "x", "y_z", check("y_z > 0", 1)); x.Checks[0].Name != "x_y_z_check1" {
		t.Errorf("check is named %s", x.Checks[0].Name)
	}
}

func TestBuilderRefusesWhatPostgreSQLRefuses(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	for _, c := range []struct {
		columns string
		more    func(b *Builder) error
		want    sqlerr.Code
	}{
		{"a a", nil, sqlerr.DuplicateColumn},
		{"ctid", nil, sqlerr.DuplicateColumn},
		{"a b", func(b *Builder) error {
			return errors.Join(b.AddPrimaryKey("", []string{"a"}, nil), b.AddPrimaryKey("", []string{"b"}, nil))
		}, sqlerr.InvalidTableDefinition},
		{"a", func(b *Builder) error { return b.AddPrimaryKey("", []string{"zz"}, nil) }, sqlerr.UndefinedColumn},
		{"a", func(b *Builder) error { return b.AddUnique("", []string{"a", "a"}, nil) }, sqlerr.DuplicateColumn},
		{"a", func(b *Builder) error {
			return errors.Join(b.AddCheck("k", "a > 0", nil), b.AddCheck("k", "a > 1", nil))
		}, sqlerr.DuplicateObject},
		{"a", func(b *Builder) error { return b.AddFamily("", []string{"zz"}) }, sqlerr.UndefinedColumn},
		{"a", func(b *Builder) error {
			return errors.Join(b.AddFamily("", []string{"a"}), b.AddFamily("", []string{"a"}))
		}, sqlerr.InvalidTableDefinition},
	} {
		_, err := f.create(v, "t", c.columns, c.more)
		f.wantCode(err, c.want)
	}
}

func TestColumnsWithoutFamilyGoToTheFirst(t *testing.T) {
	f := newFixture(t)
	tab := f.mustCreate(f.begin(), "t", "a b c d", func(b *Builder) error {
		return errors.Join(b.AddFamily("", []string{"c"}), b.AddFamily("rest", []string{"b"}))
	})
	want := []Family{{0, "fam_0_a_c_d", []ColumnID{1, 3, 4}}, {1, "rest", []ColumnID{2}}}
	if diff := cmp.Diff(want, tab.Families); diff != "" {
		t.Errorf("families (-want +got):\n%s", diff)
	}
	if !tab.HasRowID() || len(tab.Visible()) != 4 || tab.Primary.Keys[0].Column != RowID || tab.FamilyOf(RowID) != 0 {
		t.Errorf("table without primary key is %+v", tab)
	}
}

func TestLookupAfterWaitingSeesTheNewest(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	f.mustCreate(v, "t", "a", nil)
	f.commit(v)

	ddl, reader := f.begin(), f.begin() // reader's snapshot is older than the change
	r, err := ddl.Relation(ctx, PublicSchema, "t", kv.TableAccessExclusive)
	if err != nil {
		t.Fatal(err)
	}
	next := r.Table.Clone()
	next.Columns[0].NotNull = true
	if err := ddl.UpdateTable(ctx, r.Table, next); err != nil {
		t.Fatal(err)
	}
	found := make(chan Relation)
	go func() {
		r, err := reader.Relation(ctx, PublicSchema, "t", kv.TableAccessShare)
		if err != nil {
			t.Error(err)
		}
		found <- r
	}()
	select {
	case <-found:
		t.Fatal("the lookup did not wait for the change")
	case <-time.After(20 * time.Millisecond):
	}
	f.commit(ddl)
	if r := <-found; r.Table == nil || r.Table.Version != 2 || !r.Table.Columns[0].NotNull {
		t.Errorf("lookup after the wait gives %+v", r.Table)
	}
}

func TestLookupAfterWaitingFollowsTheName(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	f.mustCreate(v, "t", "a", nil)
	f.commit(v)

	ddl, reader := f.begin(), f.begin()
	r, err := ddl.Relation(ctx, PublicSchema, "t", kv.TableAccessExclusive)
	if err != nil {
		t.Fatal(err)
	}
	if err := ddl.DropTable(r.Table); err != nil {
		t.Fatal(err)
	}
	second := f.mustCreate(ddl, "t", "b", nil)
	found := make(chan Relation)
	go func() {
		r, err := reader.Relation(ctx, PublicSchema, "t", kv.TableAccessShare)
		if err != nil {
			t.Error(err)
		}
		found <- r
	}()
	time.Sleep(10 * time.Millisecond)
	f.commit(ddl)
	if r := <-found; r.Table == nil || r.Table.ID != second.ID {
		t.Errorf("lookup after the wait gives %+v, want table %d", r.Table, second.ID)
	}
}

func TestCacheNeverServesAnUncommittedOrOldDescriptor(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	tab := f.mustCreate(v, "t", "a", nil)
	f.commit(v)

	v = f.begin()
	next := tab.Clone()
	next.Columns[0].NotNull = true
	if err := v.UpdateTable(ctx, tab, next); err != nil {
		t.Fatal(err)
	}
	if own, err := v.TableByID(ctx, tab.ID); err != nil || own.Version != 2 {
		t.Errorf("own change gives %+v, %v", own, err)
	}
	if other, err := f.begin().TableByID(ctx, tab.ID); err != nil || other.Version != 1 {
		t.Errorf("another transaction sees %+v, %v", other, err)
	}
	f.commit(v)
	first, err := f.begin().TableByID(ctx, tab.ID)
	if err != nil || first.Version != 2 {
		t.Errorf("after the commit there is %+v, %v", first, err)
	}
	if second, _ := f.begin().TableByID(ctx, tab.ID); second != first {
		t.Error("an unchanged descriptor was decoded twice")
	}
}

func TestRowIDsAscendAcrossRestarts(t *testing.T) {
	f := newFixture(t)
	last := int64(0)
	for range 3 {
		for _, n := range []int{1, 10, rowIDBlock + 5, 1} {
			first, err := f.store.AllocateRowIDs(ctx, 100, n)
			if err != nil || first <= last {
				t.Fatalf("row ids from %d after %d, %v", first, last, err)
			}
			last = first + int64(n) - 1
		}
		if err := f.db.Close(); err != nil {
			t.Fatal(err)
		}
		f.open()
	}
}

// TestDocumentedDescriptor checks the example of docs/formats/catalog.md.
func TestDocumentedDescriptor(t *testing.T) {
	f := newFixture(t)
	v := f.begin()
	b := v.NewBuilder(f.public(v), "pet")
	err := errors.Join(
		b.AddColumn(Column{Name: "id", Type: types.Int8}),
		b.AddColumn(Column{Name: "name", Type: types.Text, NotNull: true, Default: "'x'"}),
		b.AddPrimaryKey("", []string{"id"}, nil),
		b.AddCheck("", "id > 0", []ColumnID{1}))
	if err != nil {
		t.Fatal(err)
	}
	tab, err := b.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/formats/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(doc), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	var want, got any
	if err := errors.Join(json.Unmarshal([]byte(block), &want), json.Unmarshal(descriptor{Table: tab}.encode(), &got)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/formats/catalog.md (-) and the code (+) differ:\n%s", diff)
	}
}

func TestDamagedDescriptorsAreReported(t *testing.T) {
	for _, raw := range []string{"", "{", `{"table":{"id":100}}`, `{"table":{"families":[{"id":0}],"primary":{"keys":[{"column":9}]}}}`} {
		if _, err := decodeDescriptor([]byte(raw)); sqlerr.CodeOf(err) != sqlerr.DataCorrupted {
			t.Errorf("descriptor %q: %v", raw, err)
		}
	}
}
