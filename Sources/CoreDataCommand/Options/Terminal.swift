// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the standard streams are connected to.
enum Terminal {
  /// Columns of the terminal that shows the output; nil where a file or pipe takes it.
  static var outputWidth: Int? {
    guard isatty(1) == 1 else { return nil }
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
  }

  /// Whether a person can see what goes to the standard error.
  static var showsProgress: Bool { isatty(2) == 1 }

  /// Writes to the standard output; ends the program quietly where nobody reads it any more.
  static func write(_ text: String) {
    var bytes = ArraySlice(text.utf8)
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Self.raw(1, $0) }
      if written < 0 {
        if errno == EINTR { continue }
        _exit(errno == EPIPE ? 0 : 2)
      }
      bytes = bytes.dropFirst(written)
    }
  }

  private static func raw(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.write(file, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(file, bytes.baseAddress, bytes.count)
    #else
    Darwin.write(file, bytes.baseAddress, bytes.count)
    #endif
  }

  /// A pipe that nobody reads gives an error instead of ending the program by a signal.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Writes a line to the standard error.
  static func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
