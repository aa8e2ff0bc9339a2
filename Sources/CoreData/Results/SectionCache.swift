// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// A file with the name and the number of rows of each section of one list.
///
/// The file also contains digests of the request and of the state of the stores for which it was written. A
/// file is ignored if it belongs to another request or state, is damaged, or is too long.
///
/// Source: docs/decisions/0007-section-cache.md.
struct SectionCache {
  private static let magic = Data("SCDSECT1".utf8)
  private static let sizeLimit = 32 << 20
  private static let digestSize = 32

  private let file: URL
  /// The digest of the request.
  private let request: Data
  /// Returns the identifiers and state tokens of the stores, or nil if these are not known.
  ///
  /// Called again after the fetch, because a save may happen during the fetch.
  private let state: () -> Data?
  private let stateBefore: Data

  init?(name: String, request: Data, state: @escaping () -> Data?) {
    guard let before = state() else { return nil }
    file = Self.file(name)
    self.request = request
    self.state = state
    stateBefore = before
  }

  // MARK: Files

  private static var folder: URL {
    let caches =
      FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    let program = Bundle.main.executablePath ?? CommandLine.arguments.first ?? ""
    let digest = hex(SHA256.hash(program.utf8).prefix(8))
    return caches.appendingPathComponent("swift-coredata/sections/\(digest)")
  }

  private static func file(_ name: String) -> URL {
    folder.appendingPathComponent(hex(SHA256.hash(name.utf8)))
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }

  static func delete(_ name: String?) {
    // The error is dropped: a missing file need not be deleted.
    try? FileManager.default.removeItem(at: name.map(file) ?? folder)
  }

  // MARK: Reading

  /// Returns the cached sections; nil if there is no valid cache for this request and state.
  func load() -> [KnownSection]? {
    guard let handle = FileHandle(forReadingAtPath: file.path) else { return nil }
    // The error is dropped: the file was only read.
    defer { try? handle.close() }
    // The error is dropped: if the cache cannot be read, the sections are computed.
    guard let content = try? handle.read(upToCount: Self.sizeLimit + 1),
      content.count <= Self.sizeLimit, content.count > Self.digestSize
    else { return nil }
    let body = content.dropLast(Self.digestSize)
    guard SHA256.hash(body) == content.suffix(Self.digestSize), state() == stateBefore else {
      return nil
    }
    var reader = Reader(bytes: Array(body))
    guard reader.data(Self.magic.count) == Self.magic, reader.data(Self.digestSize) == request,
      reader.data(Self.digestSize) == SHA256.hash(stateBefore), let count = reader.number()
    else { return nil }
    var sections: [KnownSection] = []
    for _ in 0..<count {
      guard let rows = reader.number(), let length = reader.number(),
        let bytes = reader.data(length), let name = String(bytes: bytes, encoding: .utf8)
      else { return nil }
      sections.append(KnownSection(name: name, count: rows))
    }
    return reader.isAtEnd ? sections : nil
  }

  private struct Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number() -> Int? {
      data(4).map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    mutating func data(_ count: Int) -> Data? {
      guard count <= bytes.count - position else { return nil }
      defer { position += count }
      return Data(bytes[position..<position + count])
    }
  }

  // MARK: Writing

  /// Writes the sections of a list that was just fetched.
  ///
  /// Deletes the file instead if the stores have changed since this value was created, if the file would be
  /// too long, or if writing fails.
  func save(_ list: ResultsList) {
    guard state() == stateBefore, list.count <= Int(UInt32.max) else { return delete() }
    var content = Self.magic + request + SHA256.hash(stateBefore)
    content.append(number: list.sections.count)
    for section in list.sections {
      let name = Data(section.name.utf8)
      content.append(number: section.count)
      content.append(number: name.count)
      content += name
    }
    guard content.count <= Self.sizeLimit - Self.digestSize else { return delete() }
    content += SHA256.hash(content)
    let folder = file.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try content.write(to: file, options: .atomic)
    } catch {
      delete()
    }
  }

  private func delete() {
    // The error is dropped: a file that cannot be deleted is checked again when it is read.
    try? FileManager.default.removeItem(at: file)
  }
}

extension Data {
  fileprivate mutating func append(number: Int) {
    for shift in stride(from: 0, to: 32, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
