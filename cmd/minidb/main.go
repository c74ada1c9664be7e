// Command minidb is the database server and its tools.
package main

func main() {}
