/*
 * Preloaded into a server, it makes writes fail as the file FAULT_FILE says at that moment: EIO, ENOSPC or EROFS, a space, and the
 * beginning of the paths concerned. SHORT: each write writes half of its bytes. Without the file, nothing fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE = 0, SHORT = -1 };

/* The error number of the current fault of a path, NONE or SHORT. By system calls, which this file does not replace. */
static int fault_of_path(const char *path) {
  const char *file = getenv("FAULT_FILE");
  char text[PATH_MAX + 16] = {0};
  if (file == NULL || path == NULL) return NONE;
  int kept = errno;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
  }
  errno = kept;
  char *folder = strchr(text, ' ');
  if (folder == NULL || strncmp(path, folder + 1, strlen(folder + 1)) != 0) return NONE;
  *folder = 0;
  if (strcmp(text, "EIO") == 0) return EIO;
  if (strcmp(text, "ENOSPC") == 0) return ENOSPC;
  if (strcmp(text, "EROFS") == 0) return EROFS;
  return strcmp(text, "SHORT") == 0 ? SHORT : NONE;
}

static int fault_of(int fd) {
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  int kept = errno;
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length < 0) return NONE;
  path[length] = 0;
  return fault_of_path(path);
}

/* Calls the replaced function, or fails. A short write is a success with fewer bytes. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL_BY(error)       \
  do {                       \
    int e = (error);         \
    if (e > 0) {             \
      errno = e;             \
      return -1;             \
    }                        \
  } while (0)

static size_t shortened(int error, size_t length) { return error == SHORT && length > 1 ? length / 2 : length; }

#define WRITE(name, offset_type)                                                    \
  ssize_t name(int fd, const void *bytes, size_t length, offset_type offset) {      \
    int error = fault_of(fd);                                                       \
    FAIL_BY(error);                                                                 \
    return REAL(name)(fd, bytes, shortened(error, length), offset);                 \
  }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *bytes, size_t length) {
  int error = fault_of(fd);
  FAIL_BY(error);
  return REAL(write)(fd, bytes, shortened(error, length));
}

/* A vector is cut after its first part. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  int error = fault_of(fd);
  FAIL_BY(error);
  return REAL(writev)(fd, parts, error == SHORT && count > 1 ? 1 : count);
}

#define ON_FD(name, parameters, arguments) \
  int name parameters {                    \
    FAIL_BY(fault_of(fd));                 \
    return REAL(name) arguments;           \
  }
ON_FD(fsync, (int fd), (fd))
ON_FD(fdatasync, (int fd), (fd))
ON_FD(ftruncate, (int fd, off_t length), (fd, length))
ON_FD(ftruncate64, (int fd, off64_t length), (fd, length))
ON_FD(fallocate, (int fd, int mode, off_t offset, off_t length), (fd, mode, offset, length))

/* A full or faulty disk still opens, renames and removes files; a read-only one does not. */
static int refused(const char *path) { return fault_of_path(path) == EROFS ? EROFS : NONE; }

#define OPEN(name)                                                        \
  int name(const char *path, int flags, ...) {                            \
    va_list rest;                                                         \
    va_start(rest, flags);                                                \
    mode_t mode = va_arg(rest, mode_t);                                   \
    va_end(rest);                                                         \
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0) FAIL_BY(refused(path)); \
    return REAL(name)(path, flags, mode);                                 \
  }
OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) {
  FAIL_BY(refused(path));
  return REAL(mkdir)(path, mode);
}

int unlink(const char *path) {
  FAIL_BY(refused(path));
  return REAL(unlink)(path);
}

int rename(const char *from, const char *to) {
  FAIL_BY(refused(to));
  return REAL(rename)(from, to);
}
