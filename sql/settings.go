package sql

import (
	"strings"
)

// setting is one row of the table of settings: what SET, SHOW and RESET know.
type setting struct {
	name     string // as SHOW ALL prints it; looked up without regard to case
	initial  string // in canonical form
	check    func(value string) (canonical string, err error)
	unit     unit
	report   bool // PostgreSQL tells the client of its changes by ParameterStatus
	fixed    bool // cannot be changed by SET
	describe string
}

// settingTable lists the settings that clients send or ask for. A setting that minidb does not act on is here only if ignoring it
// cannot change an answer; the check functions refuse the values that would.
var settingTable = []setting{
	{name: "application_name", check: anyText, report: true, describe: "Sets the application name to be reported in statistics and logs."},
	{name: "backslash_quote", initial: "safe_encoding", check: oneOf("safe_encoding", "on", "off"), describe: "Sets whether \"\\'\" is allowed in string literals."},
	{name: "bytea_output", initial: "hex", check: oneOf("escape", "hex"), describe: "Sets the output format for bytea."},
	{name: "check_function_bodies", initial: "on", check: boolean, describe: "Check routine bodies during CREATE FUNCTION and CREATE PROCEDURE."},
	{name: "client_encoding", initial: "UTF8", check: encoding, report: true, describe: "Sets the client's character set encoding."},
	{name: "client_min_messages", initial: "notice", check: oneOf("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"), describe: "Sets the message levels that are sent to the client."},
	{name: "DateStyle", initial: "ISO, MDY", check: dateStyle, report: true, describe: "Sets the display format for date and time values."},
	{name: "default_table_access_method", initial: "heap", check: onlyValue("heap"), describe: "Sets the default table access method for new tables."},
	{name: "default_tablespace", check: onlyValue(""), describe: "Sets the default tablespace to create tables and indexes in."},
	{name: "default_text_search_config", initial: "pg_catalog.simple", check: anyText, describe: "Sets default text search configuration."},
	{name: "default_toast_compression", initial: "pglz", check: oneOf("pglz", "lz4"), describe: "Sets the default compression method for compressible values."},
	{name: "default_transaction_deferrable", initial: "off", check: boolean, describe: "Sets the default deferrable status of new transactions."},
	{name: "default_transaction_isolation", initial: "read committed", check: isolation, describe: "Sets the transaction isolation level of each new transaction."},
	{name: "default_transaction_read_only", initial: "off", check: boolean, report: true, describe: "Sets the default read-only status of new transactions."},
	{name: "enable_async_append", initial: "on", check: boolean, describe: "Enables the planner's use of async append plans."},
	{name: "enable_bitmapscan", initial: "on", check: boolean, describe: "Enables the planner's use of bitmap-scan plans."},
	{name: "enable_gathermerge", initial: "on", check: boolean, describe: "Enables the planner's use of gather merge plans."},
	{name: "enable_hashagg", initial: "on", check: boolean, describe: "Enables the planner's use of hashed aggregation plans."},
	{name: "enable_hashjoin", initial: "on", check: boolean, describe: "Enables the planner's use of hash join plans."},
	{name: "enable_incremental_sort", initial: "on", check: boolean, describe: "Enables the planner's use of incremental sort steps."},
	{name: "enable_indexonlyscan", initial: "on", check: boolean, describe: "Enables the planner's use of index-only-scan plans."},
	{name: "enable_indexscan", initial: "on", check: boolean, describe: "Enables the planner's use of index-scan plans."},
	{name: "enable_material", initial: "on", check: boolean, describe: "Enables the planner's use of materialization."},
	{name: "enable_memoize", initial: "on", check: boolean, describe: "Enables the planner's use of memoization."},
	{name: "enable_mergejoin", initial: "on", check: boolean, describe: "Enables the planner's use of merge join plans."},
	{name: "enable_nestloop", initial: "on", check: boolean, describe: "Enables the planner's use of nested-loop join plans."},
	{name: "enable_parallel_append", initial: "on", check: boolean, describe: "Enables the planner's use of parallel append plans."},
	{name: "enable_parallel_hash", initial: "on", check: boolean, describe: "Enables the planner's use of parallel hash plans."},
	{name: "enable_partition_pruning", initial: "on", check: boolean, describe: "Enables plan-time and execution-time partition pruning."},
	{name: "enable_partitionwise_aggregate", initial: "off", check: boolean, describe: "Enables partitionwise aggregation and grouping."},
	{name: "enable_partitionwise_join", initial: "off", check: boolean, describe: "Enables partitionwise join."},
	{name: "enable_seqscan", initial: "on", check: boolean, describe: "Enables the planner's use of sequential-scan plans."},
	{name: "enable_sort", initial: "on", check: boolean, describe: "Enables the planner's use of explicit sort steps."},
	{name: "enable_tidscan", initial: "on", check: boolean, describe: "Enables the planner's use of TID scan plans."},
	{name: "escape_string_warning", initial: "on", check: boolean, describe: "Warn about backslash escapes in ordinary string literals."},
	{name: "extra_float_digits", initial: "1", check: integer(-15, 3, noUnit), describe: "Sets the number of digits displayed for floating-point values."},
	{name: "geqo", initial: "on", check: boolean, describe: "Enables genetic query optimization."},
	{name: "idle_in_transaction_session_timeout", initial: "0", check: integer(0, maxInt32, milliseconds), unit: milliseconds, describe: "Sets the maximum allowed idle time between queries, when in a transaction."},
	{name: "in_hot_standby", initial: "off", fixed: true, report: true, describe: "Shows whether hot standby is currently active."},
	{name: "integer_datetimes", initial: "on", fixed: true, report: true, describe: "Shows whether datetimes are integer based."},
	{name: "IntervalStyle", initial: "postgres", check: oneOf("postgres", "postgres_verbose", "sql_standard", "iso_8601"), report: true, describe: "Sets the display format for interval values."},
	{name: "is_superuser", initial: "on", fixed: true, report: true, describe: "Shows whether the current user is a superuser."},
	{name: "jit", initial: "on", check: boolean, describe: "Allow JIT compilation."},
	{name: "lc_collate", initial: "C.UTF-8", fixed: true, describe: "Shows the collation order locale."},
	{name: "lc_ctype", initial: "C.UTF-8", fixed: true, describe: "Shows the character classification and case conversion locale."},
	{name: "lc_messages", initial: "C.UTF-8", check: anyText, describe: "Sets the language in which messages are displayed."},
	{name: "lc_monetary", initial: "C.UTF-8", check: anyText, describe: "Sets the locale for formatting monetary amounts."},
	{name: "lc_numeric", initial: "C.UTF-8", check: anyText, describe: "Sets the locale for formatting numbers."},
	{name: "lc_time", initial: "C.UTF-8", check: anyText, describe: "Sets the locale for formatting date and time values."},
	{name: "lock_timeout", initial: "0", check: integer(0, maxInt32, milliseconds), unit: milliseconds, describe: "Sets the maximum allowed duration of any wait for a lock."},
	{name: "max_connections", initial: "100", fixed: true, describe: "Sets the maximum number of concurrent connections."},
	{name: "max_identifier_length", initial: "63", fixed: true, describe: "Shows the maximum identifier length."},
	{name: "max_index_keys", initial: "32", fixed: true, describe: "Shows the maximum number of index keys."},
	{name: "password_encryption", initial: "scram-sha-256", check: oneOf("scram-sha-256"), describe: "Chooses the algorithm for encrypting passwords."},
	{name: "quote_all_identifiers", initial: "off", check: boolean, describe: "When generating SQL fragments, quote all identifiers."},
	{name: "role", initial: "none", check: anyText, describe: "Sets the current role."},
	{name: "row_security", initial: "on", check: boolean, describe: "Enable row security."},
	{name: "search_path", initial: `"$user", public`, check: anyText, describe: "Sets the schema search order for names that are not schema-qualified."},
	{name: "server_encoding", initial: "UTF8", fixed: true, report: true, describe: "Shows the server (database) character set encoding."},
	{name: "server_version", initial: ServerVersion, fixed: true, report: true, describe: "Shows the server version."},
	{name: "server_version_num", initial: "150000", fixed: true, describe: "Shows the server version as an integer."},
	{name: "session_authorization", check: anyText, report: true, describe: "Sets the session user name."},
	{name: "standard_conforming_strings", initial: "on", check: onlyValue("on"), report: true, describe: "Causes '...' strings to treat backslashes literally."},
	{name: "statement_timeout", initial: "0", check: integer(0, maxInt32, milliseconds), unit: milliseconds, describe: "Sets the maximum allowed duration of any statement."},
	{name: "synchronize_seqscans", initial: "on", check: boolean, describe: "Enable synchronized sequential scans."},
	{name: "synchronous_commit", initial: "on", check: oneOfOrBoolean("local", "remote_write", "remote_apply", "on", "off"), describe: "Sets the current transaction's synchronization level."},
	{name: "TimeZone", initial: "UTC", check: timeZone, report: true, describe: "Sets the time zone for displaying and interpreting time stamps."},
	{name: "transaction_deferrable", initial: "off", check: boolean, describe: "Whether to defer a read-only serializable transaction until it can be executed with no possible serialization failures."},
	{name: "transaction_isolation", initial: "read committed", check: isolation, describe: "Sets the current transaction's isolation level."},
	{name: "transaction_read_only", initial: "off", check: boolean, describe: "Sets the current transaction's read-only status."},
	{name: "work_mem", initial: "65536", check: integer(64, maxInt32, kilobytes), unit: kilobytes, describe: "Sets the maximum memory to be used for query workspaces."},
	{name: "xmloption", initial: "content", check: oneOf("content", "document"), describe: "Sets whether XML data in implicit parsing and serialization operations is to be considered as documents or content fragments."},
}

const maxInt32 = 1<<31 - 1

var settingByName = func() map[string]*setting {
	m := make(map[string]*setting, len(settingTable))
	for i := range settingTable {
		m[strings.ToLower(settingTable[i].name)] = &settingTable[i]
	}
	return m
}()
