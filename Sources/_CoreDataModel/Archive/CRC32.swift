// SPDX-License-Identifier: Apache-2.0

import CCoreDataZlib
import Foundation

/// The checksum of gzip and PNG files.
package enum CRC32 {
  /// Returns the checksum of the bytes.
  package static func checksum(of data: Data) -> UInt32 {
    var checksum = crc32(0, nil, 0)
    data.withUnsafeBytes { bytes in
      var start = 0
      // `crc32` accepts a length of at most 32 bits, so longer data is passed in parts.
      while start < bytes.count {
        let count = min(bytes.count - start, 1 << 30)
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
        checksum = crc32(checksum, part.bindMemory(to: UInt8.self).baseAddress, uInt(count))
        start += count
      }
    }
    return UInt32(truncatingIfNeeded: checksum)
  }
}
