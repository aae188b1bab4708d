/* Swift's Mutex for ThreadSanitizer, which `packaging/sanitize` loads ahead of the C library.
 *
 * A Mutex that nobody holds is taken and given back by atomic operations in our own code, which the
 * sanitizer sees. One that somebody holds is handed over by the kernel, in the Swift runtime's own
 * library, which is not instrumented (swift/stdlib/public/Synchronization/Mutex/LinuxImpl.swift), and
 * the sanitizer would take whatever the mutex guards for unguarded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

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
