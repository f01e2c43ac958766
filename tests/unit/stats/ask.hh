#pragma once

#include "support.hh"

#include <sqlite3.h>

namespace memsim::results_test {

/// The rows of a query, columns joined by '|', rows by blanks.
inline std::string ask(const std::string& path, const std::string& sql) {
    sqlite3* db = nullptr;
    std::string all;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    sqlite3_busy_timeout(db, 60'000);
    char* error = nullptr;
    sqlite3_exec(
        db, sql.c_str(),
        [](void* to, int n, char** values, char**) {
            std::string& text = *static_cast<std::string*>(to);
            for (int i = 0; i < n; ++i)
                text += (i              ? "|"
                         : text.empty() ? ""
                                        : " ") +
                        std::string(values[i] ? values[i] : "NULL");
            return 0;
        },
        &all, &error);
    INFO(sql);
    CHECK((error ? std::string(error) : "") == "");
    sqlite3_free(error);
    sqlite3_close(db);
    return all;
}

} // namespace memsim::results_test
