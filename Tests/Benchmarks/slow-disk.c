/* Makes one file as slow as an SD card: LD_PRELOAD for Tests/Benchmarks/slow-disk.
 *
 * If the path of a file contains $SLOW_FILE, each fdatasync takes $SLOW_MS milliseconds longer, and
 * each fdatasync and pwrite waits while a file exists at $SLOW_STALL.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static void wait_for_disk(int descriptor, int is_sync) {
  const char *name = getenv("SLOW_FILE"), *ms = getenv("SLOW_MS"), *stall = getenv("SLOW_STALL");
  char link[64], path[4096];
  if (!name) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  if (!strstr(path, name)) return;
  if (is_sync && ms) usleep(1000 * (useconds_t)atoi(ms));
  while (stall && access(stall, F_OK) == 0) usleep(5000);
}

int fdatasync(int descriptor) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_for_disk(descriptor, 1);
  return next(descriptor);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  ssize_t (*next)(int, const void *, size_t, off_t) =
      (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  wait_for_disk(descriptor, 0);
  return next(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}
