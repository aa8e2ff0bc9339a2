// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file with what one writer has done, one JSON object in each line.
final class Record {
  private let file: FileHandle
  private(set) var count = 0

  init(_ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw WriterError(text: "the file \(path) cannot be created")
    }
    file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  }

  func write(_ values: [String: Any]) throws {
    count += 1
    var line = try JSONSerialization.data(withJSONObject: values, options: .sortedKeys)
    line.append(UInt8(ascii: "\n"))
    try file.write(contentsOf: line)
  }

  /// The nanoseconds of a clock that all processes of the machine share.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
