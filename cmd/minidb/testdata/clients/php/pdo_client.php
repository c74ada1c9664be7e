<?php
// PDO's driver pgsql, and the functions pg_… of PHP.
function check(string $name, callable $what): void
{
    try {
        $what();
        echo "ok $name\n";
    } catch (Throwable $e) {
        echo "not ok $name: ", preg_replace('/\s+/', ' ', $e->getMessage()), ' (line ', $e->getLine(), ")\n";
    }
}

function equal(mixed $got, mixed $want): void
{
    if ($got !== $want) {
        throw new Exception('got ' . json_encode($got) . ', want ' . json_encode($want));
    }
}

$dsn = sprintf('host=%s port=%s dbname=%s user=%s', getenv('PGHOST'), getenv('PGPORT'), getenv('PGDATABASE'), getenv('PGUSER'));
$db = new PDO('pgsql:' . str_replace(' ', ';', $dsn), null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);

check('create tables', function () use ($db) {
    $db->exec('DROP TABLE IF EXISTS pdo_items');
    $db->exec('CREATE TABLE pdo_items (id serial PRIMARY KEY, name text NOT NULL, price numeric(8,2), ok boolean, data bytea, at timestamptz, n bigint, f float8)');
});
check('parameters', function () use ($db) {
    $st = $db->prepare('INSERT INTO pdo_items (name, price, ok, data, at, n, f) VALUES (:name, :price, :ok, :data, :at, :n, :f) RETURNING id');
    $st->bindValue(':name', "it's ‘naïve’");
    $st->bindValue(':price', '12.50');
    $st->bindValue(':ok', true, PDO::PARAM_BOOL);
    $bytes = implode('', array_map('chr', range(0, 255)));
    $st->bindValue(':data', $bytes, PDO::PARAM_LOB);
    $st->bindValue(':at', '2024-02-29 12:30:15+00');
    $st->bindValue(':n', PHP_INT_MIN, PDO::PARAM_INT);
    $st->bindValue(':f', '0.1');
    $st->execute();
    equal($st->fetchColumn(), 1);
    $row = $db->query('SELECT * FROM pdo_items')->fetch(PDO::FETCH_ASSOC);
    equal(stream_get_contents($row['data']), $bytes);
    unset($row['data']);
    equal($row, ['id' => 1, 'name' => "it's ‘naïve’", 'price' => '12.50', 'ok' => true, 'at' => '2024-02-29 12:30:15+00', 'n' => PHP_INT_MIN, 'f' => '0.1']);
    equal($db->lastInsertId(), '1');
    equal($db->lastInsertId('pdo_items_id_seq'), '1');
});
check('prepared statements', function () use ($db) {
    $st = $db->prepare('INSERT INTO pdo_items (name, n) VALUES (?, ?)');
    for ($i = 2; $i <= 50; $i++) {
        $st->execute(["item $i", $i]);
    }
    $st = $db->prepare('SELECT name FROM pdo_items WHERE id > ? AND n IS NOT NULL ORDER BY id LIMIT ?');
    $st->execute([10, 2]);
    equal($st->fetchAll(PDO::FETCH_COLUMN), ['item 11', 'item 12']);
    equal($db->exec('UPDATE pdo_items SET n = n + 1 WHERE id > 40'), 10);
});
check('columns', function () use ($db) {
    $st = $db->query('SELECT id, name, price FROM pdo_items LIMIT 1');
    $meta = array_map(fn ($i) => $st->getColumnMeta($i), range(0, 2));
    equal(array_column($meta, 'native_type'), ['int4', 'text', 'numeric']);
    equal(array_column($meta, 'table'), ['pdo_items', 'pdo_items', 'pdo_items']);
});
check('transactions', function () use ($db) {
    $db->beginTransaction();
    $db->exec('DELETE FROM pdo_items');
    equal($db->inTransaction(), true);
    $db->rollBack();
    equal($db->query('SELECT count(*) FROM pdo_items')->fetchColumn(), 50);
});
check('errors', function () use ($db) {
    foreach (["INSERT INTO pdo_items (id, name) VALUES (1, 'x')" => '23505', 'SELECT nope FROM pdo_items' => '42703', 'SELEC' => '42601'] as $text => $code) {
        try {
            $db->query($text);
        } catch (PDOException $e) {
            equal($e->getCode(), $code);
            continue;
        }
        throw new Exception("no error from $text");
    }
});
check('cursor', function () use ($db) {
    $st = $db->prepare('SELECT id FROM pdo_items ORDER BY id', [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
    $db->beginTransaction();
    $st->execute();
    equal($st->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_LAST), [50]);
    equal($st->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_FIRST), [1]);
    equal($st->fetch(PDO::FETCH_NUM), [2]);
    $st->closeCursor();
    $db->rollBack();
});
check('COPY', function () use ($db) {
    equal($db->pgsqlCopyFromArray('pdo_items', ["100\tcopied", "101\tx\\ty"], "\t", '\\\\N', 'id, name'), true);
    equal($db->pgsqlCopyToArray('pdo_items', '|', 'NULL', 'id, name')[50], "100|copied\n");
});
check('functions pg_…', function () use ($dsn) {
    $c = pg_connect($dsn);
    $r = pg_query_params($c, 'SELECT id, name, ok FROM pdo_items WHERE id = $1', [1]);
    equal(pg_fetch_assoc($r), ['id' => '1', 'name' => "it's ‘naïve’", 'ok' => 't']);
    equal([pg_field_type($r, 2), pg_field_table($r, 0)], ['bool', 'pdo_items']);
    equal(array_keys(pg_meta_data($c, 'pdo_items')), ['id', 'name', 'price', 'ok', 'data', 'at', 'n', 'f']);
    equal(pg_insert($c, 'pdo_items', ['id' => 200, 'name' => 'inserted']) !== false, true);
    equal(pg_select($c, 'pdo_items', ['id' => 200])[0]['name'], 'inserted');
    $r = @pg_query($c, 'SELECT 1/0');
    equal(pg_last_error($c), 'ERROR:  division by zero');
    pg_close($c);
});
check('drop tables', fn () => $db->exec('DROP TABLE pdo_items'));
