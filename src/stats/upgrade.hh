#pragma once

#include "stats/sqlite.hh"

/// The database's tables are made, or brought to this version's from an older one's.
namespace memsim::stats {

/// Afterwards the database has this version's tables and views. Those of an older version are
/// upgraded in one transaction: every row stays, and what the version did not know is NULL or has
/// no row. Refused, and left as it is, is a file of another program or of a later version, one
/// that a process of the older memsim has a run in, and one with names of the user's own in the
/// way.
void make_tables(Connection& c);

} // namespace memsim::stats
