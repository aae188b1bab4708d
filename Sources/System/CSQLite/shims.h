#pragma once
#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast of a number to a function, which Swift does not import: what is bound is
   copied. */

static inline int rg_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int bytes)
{
    return sqlite3_bind_text(statement, index, bytes > 0 ? text : "", bytes, SQLITE_TRANSIENT);
}

static inline int rg_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *blob, int bytes)
{
    return sqlite3_bind_blob(statement, index, bytes > 0 ? blob : "", bytes, SQLITE_TRANSIENT);
}
