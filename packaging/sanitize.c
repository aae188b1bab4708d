/* Swift's Mutex for ThreadSanitizer, which `packaging/sanitize` loads ahead of the C library.
 *
 * Our code locks and unlocks a free Mutex with atomic operations, which the sanitizer sees. If the Mutex is
 * locked, the Swift runtime library waits, first in a loop and then in the kernel. That library is not
 * instrumented (swift/stdlib/public/Synchronization/Mutex/LinuxImpl.swift), so the sanitizer would report
 * false data races. This file reports both operations to the sanitizer: the return of the library's wait is
 * an acquire, and the system call that unlocks is a release. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

/* _MutexHandle._lockSlow(_: UInt32): its word is the first of the handle. */
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
typedef __attribute__((swiftcall)) void lock_slow(
    unsigned, __attribute__((swift_context)) void *);

__attribute__((swiftcall)) void take(
    unsigned thread, __attribute__((swift_context)) void *handle) __asm__(LOCK_SLOW);

__attribute__((swiftcall)) void take(
    unsigned thread, __attribute__((swift_context)) void *handle) {
  ((lock_slow *)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

long syscall(long number, ...) {
  static long (*next)(long, ...);
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  int operation = number == SYS_futex && __tsan_acquire ? (int)a[1] & FUTEX_CMD_MASK : -1;
  if (operation == FUTEX_UNLOCK_PI) __tsan_release((void *)a[0]);
  if (!next) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  long result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result == 0 && (operation == FUTEX_LOCK_PI || operation == FUTEX_TRYLOCK_PI)) {
    int error = errno;
    __tsan_acquire((void *)a[0]);
    errno = error;
  }
  return result;
}
