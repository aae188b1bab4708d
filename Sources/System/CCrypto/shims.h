#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
