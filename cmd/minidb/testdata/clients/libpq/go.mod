// A module of its own: minidb itself needs no second PostgreSQL driver.
module minidb-libpq-client

go 1.24

require github.com/lib/pq v1.10.9
