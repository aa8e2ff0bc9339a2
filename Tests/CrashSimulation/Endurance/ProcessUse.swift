// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// What this process uses of the machine at one moment.
struct ProcessUse {
  /// The bytes of memory that are in the machine, `RSS`.
  var resident: Int
  /// The bytes that `malloc` has given out; 0 without the library that replaces calls.
  var allocated: Int
  /// The part of these bytes that SQLite uses, most of it for the pages of open connections.
  var engine: Int
  var descriptors: Int
  var threads: Int

  /// The bytes that this library and the program use.
  var own: Int { allocated - engine }

  var text: String {
    "RSS \(resident / 1024) KB, allocated \(allocated / 1024) KB (SQLite \(engine / 1024) KB), "
      + "\(descriptors) descriptors, \(threads) threads"
  }

  private typealias AllocatedBytes = @convention(c) () -> Int
  private static let allocatedBytes = dlsym(nil, "coredata_allocated_bytes").map {
    // The library exports a function of this type.
    unsafeBitCast($0, to: AllocatedBytes.self)
  }

  static func now() throws -> ProcessUse {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ")
    let files = FileManager.default
    return ProcessUse(
      resident: (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE)),
      allocated: allocatedBytes?() ?? 0,
      engine: Int(sqlite3_memory_used()),
      // The listing itself has one descriptor.
      descriptors: try files.contentsOfDirectory(atPath: "/proc/self/fd").count - 1,
      threads: try files.contentsOfDirectory(atPath: "/proc/self/task").count
    )
  }

  /// The seconds of processor time that this process has used.
  static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
