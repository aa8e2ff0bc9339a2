// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import Synchronization

/// The engine's calls of the system that open, read, write and remove files, or those that lock them,
/// counted: the n-th of them fails once, or with all after it, or ends the process.
///
/// It is the engine of the whole process, so only for tests in processes of their own.
enum EngineCalls {
  enum Fate { case fails, failsForGood, kills }
  enum Kind: Int { case content, locks }

  private static let left = Atomic(Int.max)
  private static let kills = Atomic(false)
  private static let lasts = Atomic(false)
  private static let kind = Atomic(Kind.content.rawValue)

  /// Lets the call after `number` others fail, with those after it where `fate` lasts, or end the process.
  static func stop(after number: Int, _ fate: Fate, of kind: Kind = .content) {
    install
    Self.kind.store(kind.rawValue, ordering: .relaxed)
    kills.store(fate == .kills, ordering: .relaxed)
    lasts.store(fate == .failsForGood, ordering: .relaxed)
    left.store(number, ordering: .relaxed)
  }

  /// Lets all calls through, and tells whether one was stopped.
  static func end() -> Bool { left.exchange(Int.max, ordering: .relaxed) < 0 }

  /// Whether this call fails.
  private static func isStopped(_ called: Kind = .content) -> Bool {
    if left.load(ordering: .relaxed) == Int.max { return false }
    if kind.load(ordering: .relaxed) != called.rawValue { return false }
    let rest = left.subtract(1, ordering: .relaxed).newValue
    if rest > -1 || rest < -1 && !lasts.load(ordering: .relaxed) { return false }
    if kills.load(ordering: .relaxed) { kill(getpid(), SIGKILL) }
    return true
  }

  private static func failing(_ code: Int32) -> Int32 {
    errno = code
    return -1
  }

  /// The engine's table of calls takes pointers to functions of any kind as ones without arguments.
  private static let install: Void = {
    typealias Open = @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32
    typealias Write = @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int
    typealias WriteAt = @convention(c) (Int32, UnsafeRawPointer?, Int, Int) -> Int
    typealias Read = @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int
    typealias ReadAt = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, Int) -> Int
    typealias Resize = @convention(c) (Int32, Int) -> Int32
    typealias Remove = @convention(c) (UnsafePointer<CChar>) -> Int32
    let opens: Open = { path, flags, mode in
      isStopped() ? failing(EMFILE) : open(path, flags, mode_t(mode))
    }
    let writes: Write = { isStopped() ? Int(failing(ENOSPC)) : write($0, $1, $2) }
    let writesAt: WriteAt = { isStopped() ? Int(failing(ENOSPC)) : pwrite($0, $1, $2, off_t($3)) }
    let reads: Read = { isStopped() ? Int(failing(EIO)) : read($0, $1, $2) }
    let readsAt: ReadAt = { isStopped() ? Int(failing(EIO)) : pread($0, $1, $2, off_t($3)) }
    let resizes: Resize = { isStopped() ? failing(EIO) : ftruncate($0, off_t($1)) }
    let removes: Remove = { isStopped() ? failing(EIO) : unlink($0) }
    // Functions keep their pointers under any type; the engine calls each by its own.
    set("open", unsafeBitCast(opens, to: sqlite3_syscall_ptr.self))
    for name in ["pwrite", "pwrite64"] {
      set(name, unsafeBitCast(writesAt, to: sqlite3_syscall_ptr.self))
    }
    set("write", unsafeBitCast(writes, to: sqlite3_syscall_ptr.self))
    for name in ["pread", "pread64"] {
      set(name, unsafeBitCast(readsAt, to: sqlite3_syscall_ptr.self))
    }
    set("read", unsafeBitCast(reads, to: sqlite3_syscall_ptr.self))
    set("ftruncate", unsafeBitCast(resizes, to: sqlite3_syscall_ptr.self))
    set("unlink", unsafeBitCast(removes, to: sqlite3_syscall_ptr.self))
    typealias Control = @convention(c) (Int32, Int32, UnsafeMutableRawPointer?) -> Int32
    let controls: Control = { file, command, argument in
      guard [F_SETLK, F_GETLK].contains(command), let argument else {
        return fcntl(file, command, Int32(truncatingIfNeeded: Int(bitPattern: argument)))
      }
      return isStopped(.locks) ? failing(EIO) : fcntl(file, command, argument)
    }
    set("fcntl", unsafeBitCast(controls, to: sqlite3_syscall_ptr.self))
  }()

  private static func set(_ name: String, _ call: sqlite3_syscall_ptr) {
    guard let system = sqlite3_vfs_find(nil) else { return }
    _ = system.pointee.xSetSystemCall(system, name, call)
  }
}
