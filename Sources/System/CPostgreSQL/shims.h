#pragma once
#include <libpq-fe.h>

/* What the server adds to an error: its five characters, by which it is known. A macro of characters
   otherwise. */
static inline const char *rg_pq_state(const PGresult *result)
{
    const char *state = PQresultErrorField(result, 'C');
    return state ? state : "";
}

/* The error in one sentence, without the place in the statement; empty for none. */
static inline const char *rg_pq_words(const PGresult *result)
{
    const char *words = PQresultErrorField(result, 'M');
    return words ? words : "";
}
