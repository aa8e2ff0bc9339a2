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

  /// Whether a person can see what goes to the standard error, and asked for it.
  static var showsProgress: Bool { !isQuiet && isatty(2) == 1 }

  /// Whether nothing but results and errors is printed.
  // Unsafe: set once, before anything is written.
  nonisolated(unsafe) static var isQuiet = false

  // Unsafe: the command writes from one thread at a time.
  nonisolated(unsafe) private static var waiting: [UInt8] = []
  private static let isShown = isatty(1) == 1

  /// Writes to the standard output, at once where a person sees it and else in large pieces, the last of
  /// them by `flush()`; ends the program quietly where nobody reads it any more.
  static func write(_ text: String) {
    waiting.append(contentsOf: text.utf8)
    if isShown || waiting.count > 1 << 16 { flush() }
  }

  /// Writes what waits.
  static func flush() {
    waiting.withUnsafeBytes(write)
    waiting.removeAll(keepingCapacity: true)
  }

  private static func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = raw(1, UnsafeRawBufferPointer(rebasing: rest))
      if written < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { _exit(0) }
        let reason = String(cString: strerror(errno))
        FileHandle.standardError.write(
          Data("coredata: the output cannot be written: \(reason)\n".utf8)
        )
        _exit(2)
      }
      rest = rest.dropFirst(written)
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

  /// Writes to the standard output what was done; nothing where only results are asked for.
  static func say(_ text: String) { if !isQuiet { write(text) } }

  /// Writes a line to the standard error that is no error; nothing where only results are asked for.
  static func remark(_ text: String) { if !isQuiet { complain(text) } }

  /// Writes a line to the standard error, after what was said before.
  static func complain(_ text: String) {
    flush()
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
