-- Prints builtin.txt, the rows that the system catalogs have from the start, from a fresh database of a PostgreSQL 15 server:
--   psql -X -At -F '	' -f builtin.sql > builtin.txt
-- A section begins with a line "# table column …" and goes on with the rows as COPY prints them. A column that the head gives
-- a value (column=value) has it in every row; columns that it leaves out are NULL.
\echo '# pg_am oid amname amhandler amtype'
copy (select oid, amname, amhandler::oid, amtype from pg_am order by oid) to stdout;
\echo '# pg_amop oid amopfamily amoplefttype amoprighttype amopstrategy amoppurpose amopopr amopmethod amopsortfamily'
copy (select oid, amopfamily, amoplefttype, amoprighttype, amopstrategy, amoppurpose, amopopr, amopmethod, amopsortfamily from pg_amop order by oid) to stdout;
\echo '# pg_amproc oid amprocfamily amproclefttype amprocrighttype amprocnum amproc'
copy (select oid, amprocfamily, amproclefttype, amprocrighttype, amprocnum, amproc::oid from pg_amproc order by oid) to stdout;
\echo '# pg_aggregate aggfnoid aggkind aggnumdirectargs aggtransfn aggfinalfn aggcombinefn aggserialfn aggdeserialfn aggmtransfn aggminvtransfn aggmfinalfn aggfinalextra aggmfinalextra aggfinalmodify aggmfinalmodify aggsortop aggtranstype aggtransspace aggmtranstype aggmtransspace agginitval aggminitval'
copy (select aggfnoid::oid, aggkind, aggnumdirectargs, aggtransfn::oid, aggfinalfn::oid, aggcombinefn::oid, aggserialfn::oid, aggdeserialfn::oid, aggmtransfn::oid, aggminvtransfn::oid, aggmfinalfn::oid, aggfinalextra, aggmfinalextra, aggfinalmodify, aggmfinalmodify, aggsortop, aggtranstype, aggtransspace, aggmtranstype, aggmtransspace, agginitval, aggminitval from pg_aggregate order by 1) to stdout;
\echo '# pg_cast oid castsource casttarget castfunc castcontext castmethod'
copy (select * from pg_cast order by oid) to stdout;
\echo '# pg_collation collnamespace=11 collowner=10 collisdeterministic=t oid collname collprovider collencoding collcollate collctype'
copy (select oid, collname, collprovider, collencoding, collcollate, collctype from pg_collation where collprovider <> 'i' order by oid) to stdout;
\echo '# pg_conversion connamespace=11 conowner=10 oid conname conforencoding contoencoding conproc condefault'
copy (select oid, conname, conforencoding, contoencoding, conproc::oid, condefault from pg_conversion order by oid) to stdout;
\echo '# pg_description objoid classoid objsubid description'
copy (select objoid, classoid, objsubid, description from pg_description where objoid not in (select oid from pg_language where lanname = 'plpgsql') order by 2, 1, 3) to stdout;
\echo '# pg_shdescription objoid classoid description'
copy (select objoid, classoid, description from pg_shdescription order by 2, 1) to stdout;
\echo '# pg_language lanowner=10 oid lanname lanispl lanpltrusted lanplcallfoid laninline lanvalidator'
copy (select oid, lanname, lanispl, lanpltrusted, lanplcallfoid, laninline, lanvalidator from pg_language where lanname <> 'plpgsql' order by oid) to stdout;
\echo '# pg_opclass opcnamespace=11 opcowner=10 oid opcmethod opcname opcfamily opcintype opcdefault opckeytype'
copy (select oid, opcmethod, opcname, opcfamily, opcintype, opcdefault, opckeytype from pg_opclass order by oid) to stdout;
\echo '# pg_opfamily opfnamespace=11 opfowner=10 oid opfmethod opfname'
copy (select oid, opfmethod, opfname from pg_opfamily order by oid) to stdout;
\echo '# pg_operator oprnamespace=11 oprowner=10 oid oprname oprkind oprcanmerge oprcanhash oprleft oprright oprresult oprcom oprnegate oprcode oprrest oprjoin'
copy (select oid, oprname, oprkind, oprcanmerge, oprcanhash, oprleft, oprright, oprresult, oprcom, oprnegate, oprcode::oid, oprrest::oid, oprjoin::oid from pg_operator order by oid) to stdout;
\echo '# pg_proc pronamespace=11 proowner=10 prosecdef=f oid proname prolang procost prorows provariadic prosupport prokind proleakproof proisstrict proretset provolatile proparallel pronargs pronargdefaults prorettype proargtypes proallargtypes proargmodes proargnames proargdefaults prosrc'
copy (select oid, proname, prolang, procost, prorows, provariadic, prosupport::oid, prokind, proleakproof, proisstrict, proretset, provolatile, proparallel, pronargs, pronargdefaults, prorettype, proargtypes, proallargtypes, proargmodes, proargnames, pg_get_expr(proargdefaults, 0), case when prolang = 12 then prosrc else '' end from pg_proc where pronamespace = 11 and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.classid = 'pg_proc'::regclass and deptype = 'e') order by oid) to stdout;
\echo '# pg_range rngtypid rngsubtype rngmultitypid rngcollation rngsubopc rngcanonical rngsubdiff'
copy (select rngtypid, rngsubtype, rngmultitypid, rngcollation, rngsubopc, rngcanonical::oid, rngsubdiff::oid from pg_range order by 1) to stdout;
\echo '# pg_ts_config cfgnamespace=11 cfgowner=10 oid cfgname cfgparser'
copy (select oid, cfgname, cfgparser from pg_ts_config where cfgname = 'simple' order by oid) to stdout;
\echo '# pg_ts_dict dictnamespace=11 dictowner=10 oid dictname dicttemplate'
copy (select oid, dictname, dicttemplate from pg_ts_dict where dictname = 'simple' order by oid) to stdout;
\echo '# pg_ts_parser prsnamespace=11 oid prsname prsstart prstoken prsend prsheadline prslextype'
copy (select oid, prsname, prsstart::oid, prstoken::oid, prsend::oid, prsheadline::oid, prslextype::oid from pg_ts_parser order by oid) to stdout;
\echo '# pg_ts_template tmplnamespace=11 oid tmplname tmplinit tmpllexize'
copy (select oid, tmplname, tmplinit::oid, tmpllexize::oid from pg_ts_template order by oid) to stdout;
\echo '# pg_type typowner=10 oid typname typnamespace typlen typbyval typtype typcategory typispreferred typisdefined typdelim typrelid typsubscript typelem typarray typinput typoutput typreceive typsend typmodin typmodout typanalyze typalign typstorage typnotnull typbasetype typtypmod typndims typcollation'
copy (select oid, typname, typnamespace, typlen, typbyval, typtype, typcategory, typispreferred, typisdefined, typdelim, typrelid, typsubscript::oid, typelem, typarray, typinput::oid, typoutput::oid, typreceive::oid, typsend::oid, typmodin::oid, typmodout::oid, typanalyze::oid, typalign, typstorage, typnotnull, typbasetype, typtypmod, typndims, typcollation from pg_type where typrelid = 0 or typrelid in (select oid from pg_class where relkind in ('r', 'v')) order by oid) to stdout;
\echo '# pg_tablespace spcowner=10 oid spcname'
copy (select oid, spcname from pg_tablespace order by oid) to stdout;
\echo '# pg_authid rolcreaterole=f rolcreatedb=f rolreplication=f rolbypassrls=f rolsuper=f rolinherit=t rolcanlogin=f rolconnlimit=-1 oid rolname'
copy (select oid, rolname from pg_authid where rolname like 'pg\_%' order by oid) to stdout;
