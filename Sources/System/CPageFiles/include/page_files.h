#pragma once

/// A file that is embedded in the program: `end` is behind its last byte.
struct page_file {
    const char *name;
    const unsigned char *start;
    const unsigned char *end;
};

/// The files of Sources/Services/WebPages/Files by path: `wall/wall.html`, in alphabetical order.
const struct page_file *page_files(void);
int page_file_count(void);

/// The OpenAPI description of the logbook's HTTP interface.
const struct page_file *openapi_file(void);
