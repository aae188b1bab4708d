#pragma once
#include <microhttpd.h>
#include <string.h>

/* These calls take arguments of any number, which Swift does not import. */

/* What every connection of a server may take. */
struct rg_http_limits {
    unsigned int connections;
    unsigned int idle_seconds;
    size_t connection_memory;
};

/* What a server calls on its one thread, with `context` first. */
struct rg_http_calls {
    MHD_AcceptPolicyCallback accept;
    MHD_NotifyConnectionCallback notice;
    MHD_AccessHandlerCallback answer;
    MHD_RequestCompletedCallback completed;
    void *context;
};

/* Undoes escapes in place, as the library does. One of a NUL stays as it is written, since a path
   would end there for us and go on for its sender. */
static inline size_t rg_http_unescape(void *context, struct MHD_Connection *connection, char *text)
{
    (void) context;
    (void) connection;
    for (const char *escape = text; (escape = strchr(escape, '%')); escape++)
        if (escape[1] == '0' && escape[2] == '0') return strlen(text);
    return MHD_http_unescape(text);
}

/* Serves a listening socket, on one thread that polls; NULL when there is none to be had. */
static inline struct MHD_Daemon *rg_http_start(
    int listener, struct rg_http_limits limits, struct rg_http_calls calls)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
        calls.accept, calls.context, calls.answer, calls.context,
        MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_CONNECTION_LIMIT, limits.connections,
        MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.connection_memory,
        MHD_OPTION_UNESCAPE_CALLBACK, rg_http_unescape, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, calls.notice, calls.context,
        MHD_OPTION_NOTIFY_COMPLETED, calls.completed, calls.context,
        MHD_OPTION_END);
}

/* The socket of a connection; -1 when there is none. */
static inline int rg_http_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *found =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return found ? found->connect_fd : -1;
}

/* Who is on the other side; NULL when that is not known. */
static inline const struct sockaddr *rg_http_client(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *found =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return found ? found->client_addr : NULL;
}

/* Enumerations are closed in some versions of the header and open in others, and Swift sees two kinds
   of types in them. */

static inline enum MHD_Result rg_http_result(int isFine) { return isFine ? MHD_YES : MHD_NO; }

static inline int rg_http_is_start(enum MHD_ConnectionNotificationCode code)
{
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/* A response with a copy of the bytes; NULL when memory is short. */
static inline struct MHD_Response *rg_http_response(const void *bytes, size_t count)
{
    return MHD_create_response_from_buffer(count, (void *) bytes, MHD_RESPMEM_MUST_COPY);
}

/* A header of the request; NULL when it is not there. */
static inline const char *rg_http_header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Calls `take` with each field of the header section, in order. */
static inline void rg_http_fields(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN take, void *context)
{
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, take, context);
}

/* Whether a field was continued on a second line (obs-fold, RFC 9112, 5.2). Before version 1.0 the
   library appends the second line to the name, which it then copies away from the value; later
   versions refuse the request. The bytes between name and value belong to the connection's memory. */
static inline int rg_http_is_folded(const char *name, size_t name_size, const char *value)
{
    if (MHD_get_version()[0] != '0' || !value) return 0;
    if (value <= name + name_size) return 1;
    for (const char *byte = name + name_size + 1; byte < value; byte++)
        if (*byte != ' ' && *byte != '\t') return 1;
    return 0;
}

/* Calls `take` with each parameter behind the question mark, in order; a name alone has no value. */
static inline void rg_http_query(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN take, void *context)
{
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take, context);
}

/* What a status is called, "Not Found". */
static inline const char *rg_http_title(unsigned int status)
{
    return MHD_get_reason_phrase_for(status);
}
