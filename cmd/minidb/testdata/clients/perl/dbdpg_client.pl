# DBD::Pg, the driver of Perl's DBI.
use strict;
use warnings;
use DBI;
use DBD::Pg qw(:pg_types :async);

my $db = DBI->connect('dbi:Pg:', '', '', { RaiseError => 1, PrintError => 0, AutoCommit => 1, pg_enable_utf8 => 1 });

sub check {
    my ($name, $what) = @_;
    if (eval { $what->(); 1 }) { print "ok $name\n"; return }
    (my $why = $@) =~ s/\s+/ /g;
    print "not ok $name: $why\n";
    $db->rollback unless $db->{AutoCommit};
}

sub equal {
    my ($got, $want) = map { defined $_ ? ref $_ ? join '|', map { $_ // 'undef' } @$_ : $_ : 'undef' } @_;
    die "got $got, want $want" if $got ne $want;
}

$| = 1;
check 'create tables', sub {
    local $db->{Warn} = 0;
    $db->do('SET client_min_messages = warning');
    $db->do('DROP TABLE IF EXISTS dbdpg_items, dbdpg_values');
    $db->do('CREATE TABLE dbdpg_items (id serial PRIMARY KEY, name varchar(20) NOT NULL, price numeric(8,2), data bytea, tags text[])');
    $db->do('CREATE TABLE dbdpg_values (b boolean, i2 smallint, i4 int, i8 bigint, f4 real, f8 float8, d date, t time, ts timestamp, tz timestamptz, iv interval, u uuid, j jsonb, c char(4))');
};
check 'parameters of every type', sub {
    my @row = ('1', -32768, 2147483647, '-9223372036854775808', 1.5, 0.1, '1999-12-31', '23:59:59.999999', '2024-02-29 12:30:15', '2024-02-29 12:30:15+00',
        '-3 days', '12345678-9abc-def0-1234-56789abcdef0', '{"a": [1, null]}', 'ab  ');
    $db->do('INSERT INTO dbdpg_values VALUES (' . join(', ', ('?') x @row) . ')', undef, @row);
    equal $db->selectrow_arrayref('SELECT * FROM dbdpg_values'), \@row;
};
check 'bytes and arrays', sub {
    my $bytes = join '', map { chr } 0 .. 255;
    my $st = $db->prepare('INSERT INTO dbdpg_items (name, price, data, tags) VALUES (?, ?, ?, ?)');
    $st->bind_param(3, undef, { pg_type => PG_BYTEA });
    $st->execute('first', 9.5, $bytes, ['a', 'b c', undef]);
    my ($data, $tags) = $db->selectrow_array('SELECT data, tags FROM dbdpg_items');
    equal $data, $bytes;
    equal $tags, ['a', 'b c', undef];
    equal $db->last_insert_id(undef, undef, 'dbdpg_items', undef), 1;
};
check 'prepared statements', sub {
    my $st = $db->prepare('INSERT INTO dbdpg_items (name, price) VALUES (?, ?) RETURNING id');
    for my $n (2 .. 50) {
        $st->execute("item $n", $n);
        equal $st->fetchrow_array, $n;
    }
    equal $db->selectcol_arrayref('SELECT id FROM dbdpg_items WHERE id < ? ORDER BY id', undef, 4), [1, 2, 3];
    equal $db->do('UPDATE dbdpg_items SET price = price + 1 WHERE id > 40'), 10;
};
check 'columns', sub {
    my $st = $db->prepare('SELECT id, name, price FROM dbdpg_items');
    $st->execute;
    equal $st->{NAME}, ['id', 'name', 'price'];
    equal $st->{pg_type}, ['int4', 'varchar', 'numeric'];
    equal $st->rows, 50;
};
check 'transactions', sub {
    $db->begin_work;
    $db->do('DELETE FROM dbdpg_items');
    $db->pg_savepoint('a');
    eval { $db->do('SELECT 1/0') };
    equal $db->state, '22012';
    $db->pg_rollback_to('a');
    equal $db->ping, 3;
    $db->rollback;
    equal $db->selectrow_array('SELECT count(*) FROM dbdpg_items'), 50;
    equal $db->ping, 1;
};
check 'errors', sub {
    eval { $db->do("INSERT INTO dbdpg_items (id, name) VALUES (1, 'again')") };
    equal $db->state, '23505';
    equal $db->pg_error_field('constraint_name'), 'dbdpg_items_pkey';
    eval { $db->do('SELECT nope FROM dbdpg_items') };
    equal $db->pg_error_field('statement_position'), 8;
};
check 'COPY', sub {
    $db->do('COPY dbdpg_items (id, name) FROM STDIN');
    $db->pg_putcopydata("100\tcopied\n101\tx\\ty\n");
    $db->pg_putcopyend;
    $db->do('COPY (SELECT id, name FROM dbdpg_items WHERE id >= 100 ORDER BY id) TO STDOUT');
    my (@out, $line);
    push @out, $line while $db->pg_getcopydata($line) >= 0;
    equal join('', @out), "100\tcopied\n101\tx\\ty\n";
};
check 'what the driver tells of tables', sub {
    equal [sort map { $_->{TABLE_NAME} } @{ $db->table_info(undef, 'public', 'dbdpg%', 'TABLE')->fetchall_arrayref({}) }], ['dbdpg_items', 'dbdpg_values'];
    equal [map { "$_->{COLUMN_NAME} $_->{TYPE_NAME} $_->{NULLABLE}" } @{ $db->column_info(undef, 'public', 'dbdpg_items', '%')->fetchall_arrayref({}) }],
        ['id integer 0', 'name character varying 0', 'price numeric 1', 'data bytea 1', 'tags text[] 1'];
    equal [$db->primary_key(undef, 'public', 'dbdpg_items')], ['id'];
    equal scalar @{ $db->statistics_info(undef, 'public', 'dbdpg_items', 0, 0)->fetchall_arrayref({}) }, 2;
};
check 'foreign keys as the driver tells them', sub {
    $db->do('CREATE TABLE dbdpg_parts (item int REFERENCES dbdpg_items ON DELETE CASCADE)');
    my $keys = $db->foreign_key_info(undef, 'public', 'dbdpg_items', undef, 'public', 'dbdpg_parts')->fetchall_arrayref({});
    $db->do('DROP TABLE dbdpg_parts');
    equal [map { "$_->{FK_NAME} $_->{FK_COLUMN_NAME} $_->{UK_TABLE_NAME} $_->{UK_COLUMN_NAME} $_->{DELETE_RULE}" } @$keys], ['dbdpg_parts_item_fkey item dbdpg_items id 0'];
};
check 'cancel', sub {
    my $st = $db->prepare('SELECT pg_sleep(30)', { pg_async => PG_ASYNC });
    $st->execute;
    select undef, undef, undef, 0.3;
    equal $db->pg_cancel, 1;
};
check 'LISTEN and NOTIFY', sub {
    $db->do('LISTEN dbdpg_channel');
    $db->do("NOTIFY dbdpg_channel, 'hello'");
    my $n = $db->pg_notifies;
    equal [$n->[0], $n->[2]], ['dbdpg_channel', 'hello'];
};
check 'drop tables', sub { $db->do('DROP TABLE dbdpg_items, dbdpg_values') };
$db->disconnect;
