// SPDX-License-Identifier: Apache-2.0

#ifndef CALL_RECORDER_H
#define CALL_RECORDER_H

/// The kinds of recorded calls. Calls of one kind with different names, such as `fsync` and `fdatasync`, are
/// recorded alike.
enum coredata_call_kind {
  coredata_call_open = 0,
  coredata_call_write = 1,
  coredata_call_resize = 2,
  coredata_call_sync = 3,
  coredata_call_unlink = 4,
  coredata_call_rename = 5,
  coredata_call_link = 6,
  coredata_call_make_folder = 7,
  coredata_call_remove_folder = 8,
  coredata_call_close = 9,
};

/// Receives one call of the system that succeeded.
///
/// `flags` of an opened file: 1 if the call created the file, 2 if it emptied the file.
typedef void (*coredata_call_receiver)(int kind, const char *path, const char *other, int descriptor, int flags,
                                       const void *bytes, long count, long offset);

/// Sets the receiver of the calls of this process; null for no receiver.
///
/// Calls are made and received one at a time, in the order in which the receiver gets them. The receiver must
/// not call the functions that are recorded.
void coredata_record_calls(coredata_call_receiver receiver);

/// What happens to the chosen call.
enum coredata_call_fate {
  coredata_call_fails = 0,
  /// The call and all later ones fail.
  coredata_call_fails_for_good = 1,
  /// The call, if it writes, writes half of its bytes; other calls fail.
  coredata_call_is_short = 2,
};

/// Chooses the call that fails: the one after `number` others that change or read files in `folder`.
///
/// Calls are only counted, and only fail, while `coredata_arm_failures` has switched this on.
void coredata_fail_calls(const char *folder, long number, int fate);

/// Switches the failures on or off; returns the number of calls that are left before the chosen one, which is
/// negative after that call.
long coredata_arm_failures(int on);

/// Returns the number of bytes that `malloc` has given out in this process, in all of its arenas.
long coredata_allocated_bytes(void);

/// Moves the clock of dates of this process to `seconds` after the true time, or before it.
///
/// The monotonic clocks stay as they are, as when the system's clock is set.
void coredata_move_clock(long seconds);

#endif
