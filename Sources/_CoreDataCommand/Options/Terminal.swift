// SPDX-License-Identifier: Apache-2.0

#if Command
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum Terminal {
  /// The number of columns of the terminal; nil if standard output is not a terminal.
  ///
  /// If the terminal does not report its width, the result is the value of the environment variable
  /// `COLUMNS`; if that variable is not a number, 80.
  static var outputWidth: Int? {
    guard isatty(1) == 1 else { return nil }
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
  }

  static var showsProgress: Bool { !isQuiet && isatty(2) == 1 }

  /// Whether only results and errors are printed.
  // Unsafe: the flag is set once, before the command runs.
  nonisolated(unsafe) static var isQuiet = false

  // Unsafe: the command writes from one thread at a time.
  nonisolated(unsafe) private static var waiting: [UInt8] = []
  private static let isShown = isatty(1) == 1

  /// Writes to standard output; unless standard output is a terminal, the text is buffered.
  ///
  /// Exits with code 0 if the reader of a pipe has closed the pipe. If writing fails for any other reason,
  /// prints the reason and exits with code 2.
  static func write(_ text: String) {
    waiting.append(contentsOf: text.utf8)
    if isShown || waiting.count > 1 << 16 { flush() }
  }

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

  /// Ignores SIGPIPE, so that writing to a closed pipe returns an error instead of ending the process.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Writes a message, which must end with a newline, to standard output, unless `--quiet` was given.
  static func printLine(_ text: String) { if !isQuiet { write(text) } }

  static func printNotice(_ text: String) { if !isQuiet { printError(text) } }

  static func printError(_ text: String) {
    flush()
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
#endif
