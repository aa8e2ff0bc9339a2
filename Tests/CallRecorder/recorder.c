// SPDX-License-Identifier: Apache-2.0

// Replaces the functions of the C library that change files. Loaded before the C library (LD_PRELOAD), these
// functions are called by SQLite, by Foundation and by this project's own code. Each calls the function that it
// replaces, and passes the call to a receiver if there is one.
//
// This file is written in C because `open` has variadic arguments, and because the functions are called before
// the Swift runtime is ready.

#ifdef __linux__

#define _GNU_SOURCE
#include "CallRecorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static _Atomic(coredata_call_receiver) receiver;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

// MARK: Failures

static char folder[4096];
static size_t folder_length;
static atomic_int is_armed, fate;
static atomic_long calls_left;
// Whether a descriptor belongs to a file in the folder.
static atomic_char is_inside[4096];

void coredata_fail_calls(const char *place, long number, int new_fate) {
  pthread_mutex_lock(&order);
  strncpy(folder, place, sizeof folder - 1);
  folder_length = strlen(folder);
  atomic_store(&fate, new_fate);
  atomic_store(&calls_left, number);
  pthread_mutex_unlock(&order);
}

long coredata_arm_failures(int on) {
  atomic_store(&is_armed, on);
  return atomic_load(&calls_left);
}

static int is_path_inside(const char *path) {
  return folder_length && strncmp(path, folder, folder_length) == 0;
}

static int is_file_inside(int file) { return file >= 0 && file < 4096 && atomic_load(&is_inside[file]); }

// Whether a call on something in the folder fails now.
static int is_stopped(int inside) {
  if (!inside || !atomic_load_explicit(&is_armed, memory_order_relaxed)) return 0;
  long rest = atomic_fetch_sub(&calls_left, 1) - 1;
  return rest == -1 || (rest < -1 && atomic_load(&fate) == coredata_call_fails_for_good);
}

#define FAIL(inside, code)  \
  if (is_stopped(inside)) { \
    errno = code;           \
    return -1;              \
  }

// As above, but a short write writes the first half.
#define FAIL_WRITE(file, count)                                             \
  if (is_stopped(is_file_inside(file))) {                                   \
    if (atomic_load(&fate) != coredata_call_is_short || count < 2) {        \
      errno = ENOSPC;                                                       \
      return -1;                                                            \
    }                                                                       \
    count /= 2;                                                             \
  }

void coredata_record_calls(coredata_call_receiver new) {
  pthread_mutex_lock(&order);
  atomic_store(&receiver, new);
  pthread_mutex_unlock(&order);
}

// Declares `real`, the function that this one replaces.
#define REAL(result, name, ...)                                       \
  static result (*real)(__VA_ARGS__);                                 \
  if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);

// Makes a call and passes it on if it succeeded. The receiver must not change `errno`.
#define RECORD(type, call, kind, path, other, descriptor, flags, bytes, count, offset) \
  if (!atomic_load_explicit(&receiver, memory_order_relaxed)) return call;             \
  pthread_mutex_lock(&order);                                                          \
  type result = call;                                                                  \
  int code = errno;                                                                    \
  coredata_call_receiver pass = atomic_load(&receiver);                                \
  if (result >= 0 && pass) pass(kind, path, other, descriptor, flags, bytes, count, offset); \
  pthread_mutex_unlock(&order);                                                        \
  errno = code;                                                                        \
  return result;

static int opened_recorded(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  if (!atomic_load_explicit(&receiver, memory_order_relaxed)) return real(path, flags, mode);
  pthread_mutex_lock(&order);
  struct stat status;
  int isNew = flags & O_CREAT && lstat(path, &status) != 0;
  int result = real(path, flags, mode);
  int code = errno;
  coredata_call_receiver pass = atomic_load(&receiver);
  if (result >= 0 && pass)
    pass(coredata_call_open, path, 0, result, isNew ? 1 : flags & O_TRUNC ? 2 : 0, 0, 0, 0);
  pthread_mutex_unlock(&order);
  errno = code;
  return result;
}

static int opened(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  FAIL(is_path_inside(path), EMFILE)
  int file = opened_recorded(real, path, flags, mode);
  if (file >= 0 && file < 4096) atomic_store(&is_inside[file], is_path_inside(path));
  return file;
}

#define OPEN(name)                                   \
  int name(const char *path, int flags, ...) {       \
    REAL(int, name, const char *, int, ...)          \
    mode_t mode = 0;                                 \
    if (flags & (O_CREAT | __O_TMPFILE)) {           \
      va_list arguments;                             \
      va_start(arguments, flags);                    \
      mode = va_arg(arguments, mode_t);              \
      va_end(arguments);                             \
    }                                                \
    return opened(real, path, flags, mode);          \
  }

OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t)
  FAIL_WRITE(file, count)
  RECORD(ssize_t, real(file, bytes, count), coredata_call_write, 0, 0, file, 0, bytes, result,
         lseek(file, 0, SEEK_CUR) - result)
}

#define WRITE_AT(name, offset_type)                                                              \
  ssize_t name(int file, const void *bytes, size_t count, offset_type offset) {                  \
    REAL(ssize_t, name, int, const void *, size_t, offset_type)                                  \
    FAIL_WRITE(file, count)                                                                      \
    RECORD(ssize_t, real(file, bytes, count, offset), coredata_call_write, 0, 0, file, 0, bytes, \
           result, offset)                                                                       \
  }

WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)

// A copy is recorded as a write of the bytes that it has copied.
ssize_t sendfile(int to, int from, off_t *start, size_t count) {
  REAL(ssize_t, sendfile, int, int, off_t *, size_t)
  FAIL_WRITE(to, count)
  if (!atomic_load_explicit(&receiver, memory_order_relaxed)) return real(to, from, start, count);
  pthread_mutex_lock(&order);
  off_t offset = start ? *start : lseek(from, 0, SEEK_CUR);
  ssize_t result = real(to, from, start, count);
  int code = errno;
  coredata_call_receiver pass = atomic_load(&receiver);
  void *bytes = result > 0 && pass ? malloc(result) : 0;
  if (bytes && pread(from, bytes, result, offset) == result)
    pass(coredata_call_write, 0, 0, to, 0, bytes, result, lseek(to, 0, SEEK_CUR) - result);
  free(bytes);
  pthread_mutex_unlock(&order);
  errno = code;
  return result;
}

#define RESIZE(name, offset_type)                                                               \
  int name(int file, offset_type size) {                                                        \
    REAL(int, name, int, offset_type)                                                           \
    FAIL(is_file_inside(file), EIO)                                                             \
    RECORD(int, real(file, size), coredata_call_resize, 0, 0, file, 0, 0, size, 0)              \
  }

RESIZE(ftruncate, off_t)
RESIZE(ftruncate64, off64_t)

#define SYNC(name)                                                                              \
  int name(int file) {                                                                          \
    REAL(int, name, int)                                                                        \
    FAIL(is_file_inside(file), EIO)                                                             \
    RECORD(int, real(file), coredata_call_sync, 0, 0, file, 0, 0, 0, 0)                         \
  }

SYNC(fsync)
SYNC(fdatasync)

#define READ_AT(name, offset_type)                                   \
  ssize_t name(int file, void *bytes, size_t count, offset_type offset) { \
    REAL(ssize_t, name, int, void *, size_t, offset_type)            \
    FAIL(is_file_inside(file), EIO)                                  \
    return real(file, bytes, count, offset);                         \
  }

READ_AT(pread, off_t)
READ_AT(pread64, off64_t)

ssize_t read(int file, void *bytes, size_t count) {
  REAL(ssize_t, read, int, void *, size_t)
  FAIL(is_file_inside(file), EIO)
  return real(file, bytes, count);
}

int close(int file) {
  REAL(int, close, int)
  if (file >= 0 && file < 4096) atomic_store(&is_inside[file], 0);
  RECORD(int, real(file), coredata_call_close, 0, 0, file, 0, 0, 0, 0)
}

int unlink(const char *path) {
  REAL(int, unlink, const char *)
  FAIL(is_path_inside(path), EIO)
  RECORD(int, real(path), coredata_call_unlink, path, 0, -1, 0, 0, 0, 0)
}

int rename(const char *old, const char *new) {
  REAL(int, rename, const char *, const char *)
  FAIL(is_path_inside(old), EIO)
  RECORD(int, real(old, new), coredata_call_rename, old, new, -1, 0, 0, 0, 0)
}

int link(const char *old, const char *new) {
  REAL(int, link, const char *, const char *)
  FAIL(is_path_inside(old), EIO)
  RECORD(int, real(old, new), coredata_call_link, old, new, -1, 0, 0, 0, 0)
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, mkdir, const char *, mode_t)
  FAIL(is_path_inside(path), ENOSPC)
  RECORD(int, real(path, mode), coredata_call_make_folder, path, 0, -1, 0, 0, 0, 0)
}

int rmdir(const char *path) {
  REAL(int, rmdir, const char *)
  FAIL(is_path_inside(path), EIO)
  RECORD(int, real(path), coredata_call_remove_folder, path, 0, -1, 0, 0, 0, 0)
}

// MARK: Programs that do not know this library

// Lets a call of any program fail: `COREDATA_FAIL_FOLDER`, `COREDATA_FAIL_NUMBER` and `COREDATA_FAIL_FATE` are the
// arguments of `coredata_fail_calls`. At the end the number of calls that are left is written to the file
// `COREDATA_FAIL_REPORT`.
__attribute__((constructor)) static void begin_failures(void) {
  const char *place = getenv("COREDATA_FAIL_FOLDER");
  const char *number = getenv("COREDATA_FAIL_NUMBER");
  const char *chosen = getenv("COREDATA_FAIL_FATE");
  if (!place || !number || !chosen) return;
  coredata_fail_calls(place, atol(number), atoi(chosen));
  coredata_arm_failures(1);
}

__attribute__((destructor)) static void end_failures(void) {
  const char *path = getenv("COREDATA_FAIL_REPORT");
  if (!path) return;
  long left = coredata_arm_failures(0);
  FILE *report = fopen(path, "w");
  if (!report) return;
  fprintf(report, "%ld\n", left);
  fclose(report);
}

// MARK: Memory

long coredata_allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (long)(info.uordblks + info.hblkhd);
}

// MARK: Clock

static atomic_long moved_seconds;

void coredata_move_clock(long seconds) { atomic_store(&moved_seconds, seconds); }

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(int, clock_gettime, clockid_t, struct timespec *)
  int result = real(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += atomic_load(&moved_seconds);
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(int, gettimeofday, struct timeval *, void *)
  int result = real(now, zone);
  now->tv_sec += atomic_load(&moved_seconds);
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

#endif
