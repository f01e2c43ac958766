#pragma once

#include "stats/sqlite.hh"

/// Creates the database's tables, or upgrades those of an older version.
namespace memsim::stats {

/// Afterwards the database has this version's tables and views. Older tables are upgraded in one
/// transaction: every row is kept, and data that the older version did not have is NULL or has no
/// row. Refuses and leaves unchanged: a file of another program or of a later version; a file in
/// which a process of the older memsim writes a run; a file with conflicting names of the user.
void make_tables(Connection& c);

} // namespace memsim::stats
