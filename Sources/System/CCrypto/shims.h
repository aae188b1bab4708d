#pragma once
// The SHA-256 whose state can be kept has only functions that OpenSSL 3 calls deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
