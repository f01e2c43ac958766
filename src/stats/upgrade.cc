#include "stats/upgrade.hh"

#include "core/base/text.hh"
#include "stats/ownership.hh"
#include "stats/schema.hh"

#include <sqlite3.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace memsim::stats {

namespace {

// The differences of older versions are not listed. Their tables are compared with this version's;
// a table that differs is created anew and filled from the old table's columns of the same names.
// This list holds only the columns that cannot be filled this way.
struct Filled {
    const char* table;
    const char* without; ///< if the old table lacks this column
    const char* column;  ///< then this column is filled
    const char* from;    ///< with this expression over the row `was`
};
constexpr Filled filled[] = {
    // Until version 2, `value` held the text.
    {"param", "text", "text", "was.value"},
    {"param", "text", "value", "base_number(was.value, was.unit)"},
    // Until version 4, the view composed it.
    {"part", "full_name", "full_name",
     "ifnull((SELECT stat.name FROM stat WHERE stat.id = was.stat), '') ||"
     " CASE was.name WHEN '' THEN '' ELSE '.' || was.name END"},
};

/// A table, view, index or trigger, and the statement that creates it.
struct Item {
    std::string type, name, sql;
    bool operator==(const Item&) const = default;
};

std::vector<Item> items(Connection& c, const char* where = "") {
    std::vector<Item> all;
    const std::string query =
        std::string("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ") + where;
    Statement s(c, query.c_str());
    while (s.step()) all.push_back({s.text(0), s.text(1), s.text(2)});
    return all;
}

std::vector<std::string> columns(Connection& c, const std::string& table) {
    std::vector<std::string> all;
    Statement s(c, "SELECT name FROM pragma_table_info(?)");
    for (s.bind(table); s.step();) all.push_back(s.text(0));
    return all;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

std::int64_t number(Connection& c, const char* sql) {
    Statement s(c, sql);
    return s.step() ? s.integer(0) : 0;
}

void run(Connection& c, const std::string& sql) { c.run(sql.c_str()); }

[[noreturn]] void refuse(const Connection& c, const std::string& why) {
    throw ConfigError("results database " + c.path() + ": " + why +
                      ", or choose another file with --stats-db");
}

// ---- base_number(text, unit): Param::number() of a parameter's text -----------------------------

template <class Tag>
bool read(std::string_view text, std::string_view unit, std::int64_t& to) {
    if (unit != Tag::units.back().suffix) return false;
    const detail::Scaled s = detail::read_quantity<Tag>(text);
    to = s.value;
    return s.fault == detail::Fault::none;
}

std::optional<std::int64_t> base_number(std::string_view text, std::string_view unit) {
    std::int64_t n = 0;
    if (unit.empty()) try {
            return text == "true" ? 1 : text == "false" ? 0 : Text<std::int64_t>::parse(text);
        } catch (const ConfigError&) { // a word
            return {};
        }
    if (read<TimeTag>(text, unit, n) || read<BytesTag>(text, unit, n) ||
        read<FrequencyTag>(text, unit, n) || read<RateTag>(text, unit, n) ||
        read<EnergyTag>(text, unit, n) || read<PowerTag>(text, unit, n) ||
        read<DecibelTag>(text, unit, n) || read<LengthTag>(text, unit, n) ||
        read<FractionTag>(text, unit, n))
        return n;
    return {};
}

void sql_base_number(sqlite3_context* context, int, sqlite3_value** arguments) {
    const auto text = [&](int i) {
        const auto* t = reinterpret_cast<const char*>(sqlite3_value_text(arguments[i]));
        return std::string_view(t ? t : "");
    };
    if (const auto n = base_number(text(0), text(1)))
        sqlite3_result_int64(context, *n);
    else
        sqlite3_result_null(context);
}

// ---- the upgrade --------------------------------------------------------------------------------

/// A memsim of the older version would continue to write the older tables.
void refuse_if_in_use(Connection& c, std::int64_t version) {
    if (!has(columns(c, "run"), "owner")) return; // processes of that version held no locks
    Statement open_runs(c, "SELECT id, owner FROM run WHERE finished IS NULL");
    while (open_runs.step())
        if (Ownership::elsewhere(c.path(), open_runs.text(0)))
            refuse(c, "its tables have version " + std::to_string(version) +
                          " and are upgraded only while no process writes them, but " +
                          open_runs.text(1) + " writes the run " + open_runs.text(0) +
                          ": wait until it ends");
}

/// Creates `table` anew and fills it with the old table's rows.
void remake(Connection& c, const Item& table, const std::vector<std::string>& now) {
    const std::string& name = table.name;
    const std::vector<std::string> before = columns(c, name);
    for (const std::string& column : before)
        if (!has(now, column))
            refuse(c, "its table " + name + " has a column " + column +
                          " that is not memsim's, and memsim needs the name: rename the table");
    std::string to, from;
    for (const std::string& column : now) {
        std::string source = has(before, column) ? "was." + column : "";
        for (const Filled& f : filled)
            if (name == f.table && column == f.column && !has(before, f.without)) source = f.from;
        if (source.empty()) continue;
        to += (to.empty() ? "" : ", ") + column;
        from += (from.empty() ? "" : ", ") + source;
    }
    // The user's indexes and triggers are dropped with the old table and created again.
    const std::vector<Item> others =
        items(c, ("AND type IN ('index', 'trigger') AND tbl_name = '" + name + "'").c_str());
    const std::string old = "memsim_upgrade_" + name;
    run(c, "ALTER TABLE " + name + " RENAME TO " + old);
    run(c, table.sql);
    run(c, "INSERT INTO " + name + "(" + to + ") SELECT " + from + " FROM " + old + " AS was");
    run(c, "DROP TABLE " + old);
    for (const Item& i : others) run(c, i.sql);
}

/// An object with one of memsim's names must be of memsim's kind: reading a view named `run` may
/// never end.
void refuse_other_kinds(Connection& c, const std::vector<Item>& wanted) {
    for (const Item& i : items(c)) {
        const auto same = std::ranges::find_if(wanted, [&](const Item& w) {
            return sqlite3_stricmp(w.name.c_str(), i.name.c_str()) == 0;
        });
        if (same != wanted.end() && same->type != i.type)
            refuse(c, "its " + i.type + " " + i.name + " is not memsim's, which needs a " +
                          same->type + " of that name: rename it");
    }
}

void upgrade(Connection& c, std::int64_t version, Connection& fresh,
             const std::vector<Item>& wanted) {
    refuse_if_in_use(c, version);
    for (const Item& i : items(c, "AND type = 'view'"))
        if (std::ranges::find(wanted, i.name, &Item::name) != wanted.end())
            run(c, "DROP VIEW " + i.name);
    sqlite3_create_function(c.handle(), "base_number", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                            nullptr, &sql_base_number, nullptr, nullptr);
    c.run("PRAGMA legacy_alter_table = ON"); // references to a table keep its name
    for (const Item& i : wanted) {
        const std::vector<Item> there = items(c, ("AND name = '" + i.name + "'").c_str());
        if (there.empty())
            run(c, i.sql);
        else if (i.type == "table" && there.front() != i)
            remake(c, i, columns(fresh, i.name));
    }
    c.run("PRAGMA legacy_alter_table = OFF");
}

} // namespace

void make_tables(Connection& c) {
    const auto tables = [&] { return number(c, "SELECT count(*) FROM sqlite_schema"); };
    const auto version = [&] { return number(c, "PRAGMA user_version"); };
    const std::string stamp = "PRAGMA application_id = " + std::to_string(application_id) +
                              "; PRAGMA user_version = " + std::to_string(schema_version);
    if (tables() == 0) {
        Transaction t(c);
        if (tables() == 0) { // check again: another process may have created them meanwhile
            c.run(schema);
            c.run(views);
            run(c, stamp);
        }
        t.commit();
    }
    if (number(c, "PRAGMA application_id") != application_id)
        throw ConfigError("results database " + c.path() +
                          ": this is another program's SQLite database; choose another file with "
                          "--stats-db");
    if (version() > schema_version)
        refuse(c, "its tables have version " + std::to_string(version()) +
                      ", of a later memsim, and this one writes version " +
                      std::to_string(schema_version) + ": write it with the later one");
    Connection fresh(":memory:", 0);
    fresh.run(schema), fresh.run(views);
    const std::vector<Item> wanted = items(fresh);
    refuse_other_kinds(c, wanted);
    if (version() < schema_version) {
        Transaction t(c);
        if (version() < schema_version) {
            upgrade(c, version(), fresh, wanted);
            run(c, stamp);
        }
        t.commit();
    }
}

} // namespace memsim::stats
