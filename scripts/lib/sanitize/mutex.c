// SPDX-License-Identifier: Apache-2.0
//
// Tells ThreadSanitizer of the half of Swift's Mutex that it cannot see.
//
// The fast paths of Synchronization.Mutex are compiled into its clients and watched; where threads
// compete, the lock is handed over in the runtime library, which is not built for the sanitizer, so
// that what a mutex guards looks unguarded. These two stand before the library's functions and add the
// hand-over. Preloaded by scripts/sanitize.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Weak: the preloaded library also enters programs that are not built for the sanitizer.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t thread, SELF void *handle);
typedef SWIFT void (*unlock_function)(SELF void *handle);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
  ((lock_function)dlsym(RTLD_NEXT, LOCK))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) {
  if (__tsan_release) __tsan_release(handle);
  ((unlock_function)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
