#pragma once
#include <sqlite3.h>
// What the logbook's store needs of it.
#include "../../../../Sources/System/CSQLite/shims.h"

// SQLITE_STATIC is a cast that Swift does not see.
static inline int bind_static_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}
