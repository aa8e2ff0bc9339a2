// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The Swift sources of one module, each of which is scanned only when it is needed.
///
/// A source is scanned if it contains `@NSManaged`, or if it seems to declare a type that is looked up. Other
/// sources are only searched for names, so a target with hundreds of sources costs little time.
final class ModuleSources {
  let module: String
  private struct Source {
    let path: String
    /// The text, followed by a zero byte at which `strstr` stops.
    let bytes: [UInt8]
    var isScanned = false
  }
  private lazy var sources: [Source] = load()
  private let load: () -> [Source]
  private var scanned: [SourceDeclarations] = []
  private var types: [String: [TypeDeclaration]] = [:]
  private var searched: Set<String> = []

  /// Creates the sources of a module from paths and texts.
  init(module: String, texts: [(path: String, bytes: [UInt8])]) {
    self.module = module
    load = { texts.map { Source(path: $0.path, bytes: $0.bytes + [0]) } }
  }

  /// Creates the sources of a module from files, which are read at the first look-up.
  ///
  /// A file that cannot be read is skipped, because the compiler reports it.
  init(module: String, files: [String]) {
    self.module = module
    load = {
      files.compactMap { path in
        FileManager.default.contents(atPath: path).map {
          Source(path: path, bytes: Array($0) + [0])
        }
      }
    }
  }

  /// The declarations of the sources in which `@NSManaged` occurs.
  private(set) lazy var managed: [SourceDeclarations] = {
    let mark = Array("NSManaged".utf8)
    let places = sources.indices.filter { place in
      !ByteSearch.places(of: mark, in: sources[place].bytes) { end, bytes in
        !ByteSearch.isName(bytes[end])
      }.isEmpty
    }
    return places.map(scan)
  }()

  /// Returns the types with that name, including nested types; extensions are not included.
  func types(named name: String) -> [TypeDeclaration] {
    if searched.insert(name).inserted {
      let bytes = Array(name.utf8)
      for place in sources.indices where !sources[place].isScanned {
        if ByteSearch.declares(bytes, in: sources[place].bytes) { _ = scan(place) }
      }
    }
    return types[name] ?? []
  }

  /// Returns the types that have that name in `@objc(…)`.
  func types(objectiveCName name: String) -> [TypeDeclaration] {
    let bytes = Array("@objc(\(name))".utf8)
    let places = sources.indices.filter {
      !ByteSearch.places(of: bytes, in: sources[$0].bytes) { _, _ in true }.isEmpty
    }
    for place in places { scan(place) }
    return types.values.joined().filter { $0.objectiveCName == name }
      .sorted { ($0.file, $0.line) < ($1.file, $1.line) }
  }

  /// Returns the sources that contain a name, even if only in a comment or string; `bytes` ends with a zero
  /// byte.
  func sources(with name: String) -> [(path: String, bytes: [UInt8])] {
    let text = Array(name.utf8)
    return sources.filter { source in
      !ByteSearch.places(of: text, in: source.bytes) { end, bytes in
        let start = end - text.count
        return !ByteSearch.isName(bytes[end])
          && (start == 0 || !ByteSearch.isName(bytes[start - 1]))
      }.isEmpty
    }
    .map { ($0.path, $0.bytes) }
  }

  /// Returns the modules that a file imports; empty if the file has not been scanned.
  func imports(of file: String) -> [String] {
    scanned.first { $0.file == file }?.imports ?? []
  }

  @discardableResult
  private func scan(_ place: Int) -> SourceDeclarations {
    let source = sources[place]
    if source.isScanned, let known = scanned.first(where: { $0.file == source.path }) {
      return known
    }
    sources[place].isScanned = true
    let declarations = DeclarationScanner.scan(source.bytes, file: source.path)
    scanned.append(declarations)
    for type in declarations.types { index(type) }
    return declarations
  }

  private func index(_ type: TypeDeclaration) {
    if type.kind != .extension { types[type.name, default: []].append(type) }
    for member in type.members { index(member) }
  }
}

/// Searches bytes of source text without dividing it into tokens.
private enum ByteSearch {
  private static let keywords = ["class", "struct", "enum", "actor", "protocol", "typealias"]
    .map { Array($0.utf8) }

  static func isName(_ byte: UInt8) -> Bool {
    byte >= 97 && byte <= 122 || byte >= 65 && byte <= 90 || byte >= 48 && byte <= 57 || byte == 95
      || byte >= 128
  }

  /// Returns the offset of each occurrence of `text` that `accepts` accepts, given the offset of its end.
  ///
  /// `bytes` must end with a zero.
  static func places(
    of text: [UInt8],
    in bytes: [UInt8],
    where accepts: (Int, [UInt8]) -> Bool
  ) -> [Int] {
    var found: [Int] = []
    let pattern = text.map { CChar(bitPattern: $0) } + [0]
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.bindMemory(to: CChar.self).baseAddress else { return }
      var position = 0
      // Unsafe: `strstr` stops at the zero at the end of `bytes`.
      while let place = strstr(start + position, pattern) {
        let end = UnsafePointer(place) - start + text.count
        if accepts(end, bytes) { found.append(end - text.count) }
        position = end
      }
    }
    return found
  }

  /// Returns whether the source may declare a type with that name.
  static func declares(_ name: [UInt8], in bytes: [UInt8]) -> Bool {
    let found = places(of: name, in: bytes) { end, bytes in
      if isName(bytes[end]) { return false }
      var place = end - name.count - 1
      if place >= 0, bytes[place] == 96 { place -= 1 }
      let gap = place
      while place >= 0, bytes[place] == 32 || bytes[place] == 9 || bytes[place] == 10 { place -= 1 }
      guard place < gap else { return false }
      return keywords.contains { keyword in
        place + 1 >= keyword.count
          && bytes[(place + 1 - keyword.count)...place].elementsEqual(keyword)
      }
    }
    return !found.isEmpty
  }
}
