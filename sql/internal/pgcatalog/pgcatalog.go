// Package pgcatalog is PostgreSQL's system catalogs: the tables of pg_catalog and information_schema, whose rows are made up
// from the descriptors of package catalog and from what every PostgreSQL has built in, and the functions that look into them.
// Nothing in them is stored; nothing in them can be changed but by DDL. What minidb has no objects of (triggers, publications,
// foreign servers, …) are tables without rows.
//
// Three texts, printed by a PostgreSQL server, say what the descriptors cannot: relations.txt, the columns of the tables;
// builtin.txt, the rows that are there from the start. The .sql files beside them print them.
//
// It knows nothing of plans and operators: a planner finds a [Relation] and its columns, an executor asks a [Reader] for its
// rows. It knows nothing of sessions either: an [Env] tells it what depends on them.
//
// Reading order: [Relation] (relation.go) and the built-in rows (builtin.go); [Snapshot], the descriptors of one moment with
// the rows made from them (snapshot.go); [Reader], a session's view of it (reader.go); the rows, a file a group of tables
// (rows_*.go); the functions (func_*.go).
package pgcatalog
