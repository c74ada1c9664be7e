"""SQLAlchemy over psycopg2: the ORM, and what its reflection finds. With --record, the latter is written into
reflected.json, which is to be done with PostgreSQL 15; without, it is compared with that file."""

import datetime
import decimal
import os
import re
import sys
import uuid

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg
from sqlalchemy.orm import Session, declarative_base, relationship

from check import check, dumps, equal

HERE = os.path.dirname(os.path.abspath(__file__))
engine = sa.create_engine("postgresql+psycopg2://", isolation_level="READ COMMITTED")
Base = declarative_base()


class Author(Base):
    __tablename__ = "sa_author"
    id = sa.Column(sa.Integer, primary_key=True)
    name = sa.Column(sa.String(40), nullable=False, unique=True)
    born = sa.Column(sa.Date)
    books = relationship("Book", back_populates="author", cascade="all, delete-orphan", order_by="Book.id")


class Book(Base):
    __tablename__ = "sa_book"
    __table_args__ = (sa.Index("sa_book_author_year", "author_id", "year"), sa.CheckConstraint("price >= 0", name="sa_book_price"))
    id = sa.Column(sa.BigInteger, sa.Identity(), primary_key=True)
    author_id = sa.Column(sa.ForeignKey("sa_author.id", ondelete="CASCADE"), nullable=False)
    title = sa.Column(sa.Text, nullable=False)
    year = sa.Column(sa.SmallInteger)
    price = sa.Column(sa.Numeric(10, 2), server_default="0")
    tags = sa.Column(pg.ARRAY(sa.Text))
    extra = sa.Column(pg.JSONB)
    key = sa.Column(pg.UUID(as_uuid=True), default=uuid.uuid4)
    added = sa.Column(sa.DateTime(timezone=True), server_default=sa.func.now())
    author = relationship("Author", back_populates="books")


def create():
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    equal(sa.inspect(engine).has_table("sa_book"), True)


def store():
    with Session(engine) as s:
        s.add(Author(name="Ann", born=datetime.date(1950, 1, 2), books=[
            Book(title="One", year=1980, price=decimal.Decimal("9.90"), tags=["a", "b"], extra={"pages": 100}),
            Book(title="Two", year=1990, tags=[], extra={"pages": 200, "in": ["x"]}),
        ]))
        s.add_all(Author(name="author %d" % i) for i in range(200))
        s.commit()
    with Session(engine) as s:
        ann = s.query(Author).filter_by(name="Ann").one()
        equal([(b.title, b.price, b.tags, b.extra) for b in ann.books], [
            ("One", decimal.Decimal("9.90"), ["a", "b"], {"pages": 100}), ("Two", decimal.Decimal("0.00"), [], {"pages": 200, "in": ["x"]}),
        ])
        equal(isinstance(ann.books[0].key, uuid.UUID), True)


def query():
    with Session(engine) as s:
        rows = s.query(Author.name, sa.func.count(Book.id), sa.func.sum(Book.price)).outerjoin(Book).group_by(Author.name)\
            .having(sa.func.count(Book.id) > 0).order_by(sa.desc(sa.func.count(Book.id))).all()
        equal([tuple(r) for r in rows], [("Ann", 2, decimal.Decimal("9.90"))])
        rank = sa.func.row_number().over(partition_by=Book.author_id, order_by=Book.year.desc())
        sub = sa.select(Book.title, rank.label("n")).subquery()
        equal(s.execute(sa.select(sub.c.title).where(sub.c.n == 1)).scalars().all(), ["Two"])
        equal(s.query(Book).filter(Book.extra["pages"].astext.cast(sa.Integer) > 150).count(), 1)
        equal(s.query(Book).filter(Book.tags.any("a")).count(), 1)
        equal(s.query(sa.exists().where(Book.title.ilike("t_o"))).scalar(), True)
        equal(len(s.query(Author).order_by(Author.id).limit(10).offset(195).all()), 6)


def change():
    with Session(engine) as s:
        book = s.query(Book).filter_by(title="One").with_for_update().one()
        book.price += 1
        with s.begin_nested():
            s.add(Book(author_id=book.author_id, title="Three"))
        s.commit()
        upsert = pg.insert(Author).values(name="Ann").on_conflict_do_update(index_elements=["name"], set_={"born": None}).returning(Author.id)
        equal(s.execute(upsert).scalar(), book.author_id)
        s.commit()
        s.delete(s.get(Author, book.author_id))
        s.commit()
        equal(s.query(Book).count(), 0)


def errors():
    with Session(engine) as s:
        s.add(Author(name="author 1"))
        try:
            s.flush()
        except sa.exc.IntegrityError as e:
            equal((e.orig.pgcode, e.orig.diag.constraint_name, e.orig.diag.table_name), ("23505", "sa_author_name_key", "sa_author"))
        else:
            raise AssertionError("a second author of the same name")


def isolation(level):
    with engine.connect().execution_options(isolation_level=level) as c:
        if level != "AUTOCOMMIT":
            equal(c.execute(sa.text("SHOW transaction_isolation")).scalar().upper(), level)


# What reflection must find; the statements are PostgreSQL's.
SCHEMA = """
DROP SCHEMA IF EXISTS sa_reflect CASCADE;
CREATE SCHEMA sa_reflect;
SET search_path = sa_reflect;
CREATE TABLE customers (id serial PRIMARY KEY, name varchar(80) NOT NULL, email text UNIQUE, balance numeric(12,2) DEFAULT 0, born date,
  CONSTRAINT rich CHECK (balance >= 0));
COMMENT ON TABLE customers IS 'who buys';
COMMENT ON COLUMN customers.email IS 'where the bill goes';
CREATE TABLE products (id bigint GENERATED BY DEFAULT AS IDENTITY (START 10 INCREMENT 5) PRIMARY KEY, code char(8) NOT NULL, title text,
  price numeric(10,2) CHECK (price > 0), tags text[], attrs jsonb DEFAULT '{}', added timestamptz DEFAULT now(), UNIQUE (code, title));
CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY, customer_id int NOT NULL REFERENCES customers ON DELETE CASCADE, product_id bigint,
  qty int NOT NULL DEFAULT 1, note text DEFAULT 'none', placed timestamp(3) DEFAULT CURRENT_TIMESTAMP, token uuid, raw bytea, rate real,
  score double precision, span interval, at time, small smallint, flag boolean DEFAULT true, PRIMARY KEY (id),
  CONSTRAINT to_product FOREIGN KEY (product_id) REFERENCES products (id) ON UPDATE RESTRICT ON DELETE SET NULL);
CREATE INDEX orders_customer_idx ON orders (customer_id, placed DESC);
CREATE UNIQUE INDEX orders_token_idx ON orders (token) INCLUDE (qty);
CREATE TABLE order_lines (order_id int REFERENCES orders DEFERRABLE INITIALLY DEFERRED, line int, what text, PRIMARY KEY (order_id, line));
CREATE TABLE line_notes (a int, b int, note text, FOREIGN KEY (a, b) REFERENCES order_lines (order_id, line) MATCH FULL);
CREATE VIEW rich_customers AS SELECT id, name FROM customers WHERE balance > 1000;
CREATE SEQUENCE ticket START 100;
"""


def reflected():
    """Everything SQLAlchemy's inspector tells of the schema, as JSON."""
    ins = sa.inspect(engine)
    out = {"schemas": "sa_reflect" in ins.get_schema_names(), "views": sorted(ins.get_view_names("sa_reflect")),
           "sequences": sorted(ins.get_sequence_names("sa_reflect")), "default schema": ins.default_schema_name,
           "enums": ins.get_enums("sa_reflect")}
    for table in sorted(ins.get_table_names("sa_reflect")) + out["views"]:
        columns = ins.get_columns(table, "sa_reflect")
        for c in columns:
            c["type"] = repr(c["type"])
        out[table] = {
            "columns": columns, "pk": ins.get_pk_constraint(table, "sa_reflect"),
            "fks": sorted(ins.get_foreign_keys(table, "sa_reflect"), key=lambda k: k["name"]),
            "unique": sorted(ins.get_unique_constraints(table, "sa_reflect"), key=lambda k: k["name"]),
            "checks": sorted(ins.get_check_constraints(table, "sa_reflect"), key=lambda k: k["name"]),
            "indexes": sorted(ins.get_indexes(table, "sa_reflect"), key=lambda k: k["name"]),
            "comment": ins.get_table_comment(table, "sa_reflect"),
        }
    meta = sa.MetaData()
    meta.reflect(engine, schema="sa_reflect", views=True)
    out["metadata"] = {t.fullname: [re.sub(r" at 0x[0-9a-f]+", "", repr(c)) for c in t.columns] for t in meta.sorted_tables}
    return out


def reflect_schema():
    with engine.begin() as c:
        for statement in SCHEMA.split(";\n"):
            if statement.strip():
                c.exec_driver_sql(statement)
    engine.dispose()
    return reflected()


def compare_reflection():
    want = json_lines(open(os.path.join(HERE, "reflected.json")).read())
    got = json_lines(dumps(reflect_schema()))
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            raise AssertionError("line %d is %s, want %s" % (i + 1, g.strip(), w.strip()))
    equal(len(got), len(want))


def view_definition():
    text = sa.inspect(engine).get_view_definition("rich_customers", "sa_reflect")
    equal(" ".join(text.split()), "SELECT customers.id, customers.name FROM sa_reflect.customers WHERE (customers.balance > (1000)::numeric);")


def json_lines(text):
    return text.rstrip("\n").split("\n")


def cleanup():
    Base.metadata.drop_all(engine)
    with engine.begin() as c:
        c.exec_driver_sql("DROP SCHEMA sa_reflect CASCADE")


if sys.argv[1:] == ["--record"]:
    with open(os.path.join(HERE, "reflected.json"), "w") as f:
        f.write(dumps(reflect_schema()) + "\n")
    cleanup()
else:
    for name, what in [
        ("create tables", create), ("store and load objects", store), ("queries", query), ("changes", change), ("errors", errors),
        ("isolation level READ COMMITTED", lambda: isolation("READ COMMITTED")),
        ("isolation level REPEATABLE READ", lambda: isolation("REPEATABLE READ")),
        ("isolation level SERIALIZABLE", lambda: isolation("SERIALIZABLE")), ("autocommit", lambda: isolation("AUTOCOMMIT")),
        ("reflection finds what it finds in PostgreSQL 15", compare_reflection),
        ("the text of a view", view_definition), ("drop tables", cleanup),
    ]:
        check(name, what)
