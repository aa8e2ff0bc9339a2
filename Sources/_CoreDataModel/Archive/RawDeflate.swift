// SPDX-License-Identifier: Apache-2.0

import CCoreDataZlib
import Foundation

/// Raw deflate compression, without header or checksum; the model in `Z_MODELCACHE` is compressed this way.
package enum RawDeflate {
  /// Returns `data` compressed.
  ///
  /// - Throws: `ModelError` with zlib's code if zlib fails.
  package static func deflated(_ data: Data) throws -> Data {
    var stream = z_stream()
    // A window larger than the data would only cost time and memory.
    let bits = min(max(Int32(Int.bitWidth - data.count.leadingZeroBitCount), 9), MAX_WBITS)
    let status = deflateInit2_(
      &stream,
      Z_DEFAULT_COMPRESSION,
      Z_DEFLATED,
      -bits,
      bits - 7,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    guard status == Z_OK else {
      throw ModelError(reason: "zlib could not start to compress the data (status \(status))")
    }
    defer { deflateEnd(&stream) }
    return try run("compress", data, &stream, limit: .max) { deflate($0, Z_FINISH) }
  }

  /// Returns `data` decompressed.
  ///
  /// `limit` is the maximum number of decompressed bytes, a protection against decompression bombs.
  /// - Throws: `ModelError` if the data is not a complete stream, if the decompressed data exceeds the limit,
  ///   or if zlib fails.
  package static func inflated(_ data: Data, limit: Int = 256 << 20) throws -> Data {
    var stream = z_stream()
    let status = inflateInit2_(
      &stream,
      -MAX_WBITS,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    guard status == Z_OK else {
      throw ModelError(reason: "zlib could not start to decompress the data (status \(status))")
    }
    defer { inflateEnd(&stream) }
    return try run("decompress", data, &stream, limit: limit) { inflate($0, Z_NO_FLUSH) }
  }

  private static func run(
    _ operation: String,
    _ data: Data,
    _ stream: inout z_stream,
    limit: Int,
    step: (UnsafeMutablePointer<z_stream>) -> Int32
  ) throws -> Data {
    var input = [UInt8](data)
    return try input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = uInt(source.count)
      var output = Data()
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let status = buffer.withUnsafeMutableBufferPointer { space in
          stream.next_out = space.baseAddress
          stream.avail_out = uInt(space.count)
          let status = step(&stream)
          if let start = space.baseAddress {
            output.append(start, count: space.count - Int(stream.avail_out))
          }
          return status
        }
        guard output.count <= limit else {
          throw ModelError(
            reason: "the decompressed data has more than \(CellText.bytes(limit))"
          )
        }
        if status == Z_STREAM_END { return output }
        if status != Z_OK { throw error(status, operation) }
      }
    }
  }

  private static func error(_ status: Int32, _ operation: String) -> ModelError {
    switch status {
    case Z_DATA_ERROR: ModelError(reason: "the compressed data is damaged")
    case Z_BUF_ERROR: ModelError(reason: "the compressed data is incomplete")
    default: ModelError(reason: "zlib could not \(operation) the data (status \(status))")
    }
  }
}
