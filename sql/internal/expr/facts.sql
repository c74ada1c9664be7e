-- Prints facts.txt from the catalogs of a PostgreSQL 15 server:
--   psql -X -At -F '	' -f facts.sql > facts.txt
-- Line kinds (tab separated):
--   T oid name category preferred element typtype
--   C source target context method volatility
--   O name left right result function commutator negator
--   P oid name arguments result kind volatility strict returns-set variadic-element default-count function
--     argument-names result-columns(name:type)
-- A function is named by its internal symbol, or by name(arguments) where the symbol does not tell it apart.
with skip(t) as (
  select oid from pg_type where typname in ('internal','cstring','trigger','event_trigger','index_am_handler',
    'table_am_handler','language_handler','fdw_handler','tsm_handler','pg_ddl_command')),
usable as (
  select p.*, array(select t.typname from unnest(p.proargtypes::oid[]) with ordinality a(o, n) join pg_type t on t.oid = a.o order by n) as args
  from pg_proc p
  where pronamespace = 'pg_catalog'::regnamespace
    and not exists (select 1 from unnest(p.proargtypes::oid[] || p.prorettype) x(t) where t in (select t from skip))),
named as (
  select u.*, case when prolang = 12 and prokind = 'f' then prosrc
    else proname || '(' || array_to_string(args, ',') || ')' end as fn from usable u)
select line from (
  select 1 as k, lpad(oid::text, 6, '0') as s,
    concat_ws(E'\t', 'T', oid, typname, typcategory, typispreferred::int, coalesce((select typname from pg_type e where e.oid = t.typelem and t.typsubscript = 'array_subscript_handler'::regproc), '-'), typtype) as line
  from pg_type t where typnamespace = 'pg_catalog'::regnamespace and typtype in ('b', 'p', 'r', 'm') and oid not in (select t from skip)
  union all
  select 2, s.typname || ' ' || d.typname, concat_ws(E'\t', 'C', s.typname, d.typname, castcontext, castmethod, coalesce((select provolatile from pg_proc p where p.oid = castfunc), 'i'))
  from pg_cast c join pg_type s on s.oid = castsource join pg_type d on d.oid = casttarget
  union all
  select 3, oprname || ' ' || lpad(o.oid::text, 6, '0'), concat_ws(E'\t', 'O', oprname, coalesce(l.typname, '-'), r.typname, t.typname, n.fn,
    coalesce((select c.oprname from pg_operator c where c.oid = o.oprcom), '-'),
    coalesce((select c.oprname from pg_operator c where c.oid = o.oprnegate), '-'))
  from pg_operator o left join pg_type l on l.oid = oprleft join pg_type r on r.oid = oprright
    join pg_type t on t.oid = oprresult join named n on n.oid = o.oprcode
  union all
  select 4, proname || ' ' || lpad(oid::text, 6, '0'), concat_ws(E'\t', 'P', oid, proname, coalesce(nullif(array_to_string(args, ','), ''), '-'),
    (select typname from pg_type t where t.oid = prorettype), prokind, provolatile, proisstrict::int, proretset::int,
    case when provariadic = 0 then '-' else (select typname from pg_type t where t.oid = provariadic) end, pronargdefaults, fn,
    coalesce((select nullif(string_agg(n, ',' order by i), '') from unnest(proargnames) with ordinality a(n, i) where coalesce(proargmodes[i], 'i') in ('i', 'b', 'v') and n <> ''), '-'),
    coalesce((select string_agg(n || ':' || t.typname, ',' order by i) from unnest(proargnames) with ordinality a(n, i) join pg_type t on t.oid = proallargtypes[i]
      where proargmodes[i] in ('o', 't') and t.oid not in (select skip.t from skip)), '-'))
  from named
) x order by k, s collate "C";
