"""SQLite: the database of results."""
packages = "libsqlite3-dev"
headers = ["sqlite3.h"]
libs = ["sqlite3"]
