#pragma once
#include <sys/socket.h>
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Swift does not import the calls of libcurl that accept values of any type. Each function here has one type. */

static inline CURLcode rg_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode rg_curl_set_number(CURL *transfer, CURLoption option, long value)
{
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode rg_curl_set_size(CURL *transfer, CURLoption option, curl_off_t value)
{
    return curl_easy_setopt(transfer, option, value);
}

/* libcurl copies the text; NULL restores the option's default or unsets it. */
static inline CURLcode rg_curl_set_text(CURL *transfer, CURLoption option, const char *value)
{
    return curl_easy_setopt(transfer, option, value);
}

/* Copies `size` bytes as the body of the request. */
static inline CURLcode rg_curl_set_body(CURL *transfer, const void *bytes, curl_off_t size)
{
    CURLcode code = curl_easy_setopt(transfer, CURLOPT_POSTFIELDSIZE_LARGE, size);
    return code != CURLE_OK ? code : curl_easy_setopt(transfer, CURLOPT_COPYPOSTFIELDS, bytes);
}

/* The list must exist until the transfer ends. */
static inline CURLcode rg_curl_set_headers(CURL *transfer, struct curl_slist *headers)
{
    return curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, headers);
}

/* The address must exist until the transfer ends. */
static inline CURLcode rg_curl_set_address(CURL *transfer, CURLU *address)
{
    return curl_easy_setopt(transfer, CURLOPT_CURLU, address);
}

/* `open` opens each socket, and `write` receives the body of the answer; both are called with `context`. */
static inline CURLcode rg_curl_set_callbacks(
    CURL *transfer, curl_opensocket_callback open, curl_write_callback write, void *context)
{
    CURLcode code = curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, open);
    if (code == CURLE_OK) code = curl_easy_setopt(transfer, CURLOPT_OPENSOCKETDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, write);
    if (code == CURLE_OK) code = curl_easy_setopt(transfer, CURLOPT_WRITEDATA, context);
    return code;
}

/* The address of a socket, which may be longer than the type of the field. */
static inline const struct sockaddr *rg_curl_socket_address(const struct curl_sockaddr *address)
{
    return &address->addr;
}

/* 0 if it is unknown. */
static inline long rg_curl_number(CURL *transfer, CURLINFO info)
{
    long value = 0;
    return curl_easy_getinfo(transfer, info, &value) == CURLE_OK ? value : 0;
}

/* 0 if it is unknown. */
static inline curl_off_t rg_curl_size(CURL *transfer, CURLINFO info)
{
    curl_off_t value = 0;
    return curl_easy_getinfo(transfer, info, &value) == CURLE_OK ? value : 0;
}

/* The header after `previous` of the last answer, without those of a proxy, interim answers and trailers;
   NULL at the end. */
static inline struct curl_header *rg_curl_header(CURL *transfer, struct curl_header *previous)
{
    return curl_easy_nextheader(transfer, CURLH_HEADER, -1, previous);
}
