-- Prints relations.txt, the shapes of the system catalogs, from a PostgreSQL 15 server:
--   psql -X -At -F '	' -f relations.sql > relations.txt
-- Line kinds (tab separated):
--   R oid row-type schema name relkind shared
--   C name type typmod not-null collation     a column of the last R, in order; collation only where it is not the type's
--   I oid name unique primary columns opclasses constraint    an index of the last R
select line from (
  select c.oid as rel, 0 as k, 0 as n,
    concat_ws(E'\t', 'R', c.oid, c.reltype, c.relnamespace::regnamespace, c.relname, c.relkind, c.relisshared::int) as line
  from pg_class c where c.relkind in ('r', 'v')
  union all
  select a.attrelid, 1, attnum, concat_ws(E'\t', 'C', attname, t.typname, atttypmod, attnotnull::int, case when attcollation <> t.typcollation then attcollation else 0 end)
  from pg_attribute a join pg_type t on t.oid = atttypid join pg_class c on c.oid = attrelid where c.relkind in ('r', 'v') and attnum > 0
  union all
  select i.indrelid, 2, i.indexrelid::int, concat_ws(E'\t', 'I', i.indexrelid, c.relname, indisunique::int, indisprimary::int, indkey, indclass, coalesce((select oid from pg_constraint k where k.conindid = i.indexrelid and contype in ('p', 'u')), 0))
  from pg_index i join pg_class c on c.oid = indexrelid where relkind = 'i' and relnamespace = 'pg_catalog'::regnamespace
) x join pg_class c on c.oid = rel where c.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
order by c.relnamespace, c.relname collate "C", k, n;
