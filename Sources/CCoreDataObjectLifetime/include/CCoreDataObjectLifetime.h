// SPDX-License-Identifier: Apache-2.0
#ifndef C_OBJECT_LIFETIME_H
#define C_OBJECT_LIFETIME_H

/// Retains `object` and returns it; returns NULL if its deinitialisation has begun.
///
/// The memory must still be allocated: call this under the lock that `deinit` acquires to unregister.
/// Source: the Swift runtime's `swift_tryRetain`, part of its stable ABI.
void *_Nullable coredata_try_retain(void *_Nonnull object);

#endif
