"""What the clients written in Python share: a line of output for every check, as the other clients print them."""

import datetime
import decimal
import json
import traceback
import uuid

# A value of every type, as a parameter that the driver writes and the value it must read back.
UTC = datetime.timezone.utc
VALUES = [
    ("boolean", True),
    ("smallint", -32768),
    ("integer", 2147483647),
    ("bigint", -9223372036854775808),
    ("real", 1.5),
    ("double precision", 0.1),
    ("numeric(12,3)", decimal.Decimal("-123456789.125")),
    ("text", "naïve ‘quotes’ \\ and 'more'\n\ttabs"),
    ("varchar(20)", "varying"),
    ("char(5)", "ab   "),
    ("bytea", bytes(range(256))),
    ("date", datetime.date(1999, 12, 31)),
    ("time", datetime.time(23, 59, 59, 999999)),
    ("timestamp", datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)),
    ("timestamptz", datetime.datetime(2024, 2, 29, 12, 30, 15, 123456, UTC)),
    ("interval", datetime.timedelta(days=-3, seconds=7261, microseconds=5)),
    ("uuid", uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")),
    ("integer[]", [1, None, -3]),
    ("text[]", ["a", 'b "quoted"', "", "NULL", "c,d{}"]),
    ("jsonb", {"a": [1, 2.5, None, "x"], "b": {"c": True}}),
    ("json", {"a": [1]}),
]

TABLE_COLUMNS = ", ".join("c%d %s" % (i, t) for i, (t, _) in enumerate(VALUES))


def check(name, what, *args):
    """Runs one check and prints whether it held."""
    try:
        what(*args)
    except Exception as e:
        where = traceback.extract_tb(e.__traceback__)[-1]
        print("not ok %s: %s: %s (line %s)" % (name, type(e).__name__, " ".join(str(e).split())[:300], where.lineno), flush=True)
    else:
        print("ok %s" % name, flush=True)


def equal(got, want):
    if got != want or not isinstance(got, type(want)):
        raise AssertionError("got %r, want %r" % (got, want))


def dumps(value):
    return json.dumps(value, indent=1, sort_keys=True, default=str)
