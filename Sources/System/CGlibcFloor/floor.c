// A program that is built on Debian trixie (glibc 2.41) runs on bookworm (2.36) too.
//
// The static Swift runtime refers to a few functions that glibc 2.38 added or gave a new version.
// Defined here, they are no longer asked of the C library. `readelf --dyn-syms` shows what is.
#include <features.h>

#if __GLIBC_PREREQ(2, 38)
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#elif defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#endif

// 2.38 made these faster and no longer sets errno; the older ones give the same numbers.
__asm__(".symver first_fmod, fmod@" FIRST);
__asm__(".symver first_fmodf, fmodf@" FIRST);
double first_fmod(double x, double y);
float first_fmodf(float x, float y);
double fmod(double x, double y) { return first_fmod(x, y); }
float fmodf(float x, float y) { return first_fmodf(x, y); }

// The C23 forms differ in one thing, the prefix 0b of binary numbers, which nobody here writes.
long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) {
    return strtoll(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int count = vsscanf(text, format, values);
    va_end(values);
    return count;
}

// strlcpy(3): copies what fits and ends it with a NUL; returns how long the source is.
size_t strlcpy(char *restrict target, const char *restrict source, size_t size) {
    size_t length = strlen(source);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(target, source, copied);
        target[copied] = 0;
    }
    return length;
}
#endif
