#ifndef CTOML_H
#define CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parsed TOML text: a flat list of values, every container before what it contains. */
typedef struct ctoml_document ctoml_document;

typedef enum ctoml_kind {
    CTOML_TABLE,
    CTOML_ARRAY,
    CTOML_STRING,
    CTOML_INTEGER,
    CTOML_FLOAT,
    CTOML_BOOLEAN,
    /** A date, a time or both: known to TOML, of no use to us, named in error messages. */
    CTOML_DATE_TIME
} ctoml_kind;

/** Bytes that live as long as their document; they may contain NUL. */
typedef struct ctoml_text {
    const char *bytes;
    size_t length;
} ctoml_text;

/** Counted from 1; columns count code points, tabs as one. */
typedef struct ctoml_position {
    uint32_t line;
    uint32_t column;
} ctoml_position;

typedef struct ctoml_value {
    ctoml_kind kind;
    /** Index of the table or array that holds this value; -1 for the root, which is value 0. */
    int64_t parent;
    /** The key under which a table holds this value; no bytes inside an array and for the root. */
    ctoml_text key;
    /** Where the key stands; inside an array, where the value stands. */
    ctoml_position key_position;
    ctoml_position position;
    ctoml_text string;
    int64_t integer;
    double floating;
    int boolean;
} ctoml_value;

/** Parses `length` bytes of UTF-8. Never returns NULL; release with ctoml_free. */
ctoml_document *ctoml_parse(const char *bytes, size_t length);

void ctoml_free(ctoml_document *document);

/** What is wrong with the syntax, in words; no bytes when nothing is. */
ctoml_text ctoml_error(const ctoml_document *document);

/** Where the syntax error stands. */
ctoml_position ctoml_error_position(const ctoml_document *document);

/** How many values there are; 0 after a syntax error, otherwise at least the root. */
size_t ctoml_count(const ctoml_document *document);

/** The value at `index`, which is below ctoml_count. */
ctoml_value ctoml_value_at(const ctoml_document *document, size_t index);

#ifdef __cplusplus
}
#endif

#endif
