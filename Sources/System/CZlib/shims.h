#pragma once
#include <zlib.h>

/* deflateInit2 is a macro, which Swift does not import. */

/// Starts a gzip stream (RFC 1952) with the best compression; it has no name and no time, so that equal
/// content gives equal bytes.
static inline int rg_gzip_start(z_stream *stream)
{
    *stream = (z_stream){0};
    return deflateInit2(stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
}
