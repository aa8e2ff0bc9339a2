// SPDX-License-Identifier: Apache-2.0

#if !canImport(ObjectiveC)
import Synchronization

// Unsafe: declares a function of Swift's runtime, which the dynamic and the static library contain. With two
// pointer-sized arguments, the C and Swift calling conventions are identical. Swift Testing finds tests with
// the same function.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateMetadataSections(
  _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool,
  _ context: UnsafeMutableRawPointer?
)

/// The classes that are linked into the process, by name; replaces the class list of the Objective-C
/// runtime.
///
/// The compiler emits a record for each type of the program and its libraries. The record contains the names
/// of the type and its module, which do not depend on the name of the program's file. Nested and generic
/// classes have no plain name and are left out.
///
/// Source: Swift's ABI, “Type Metadata”, `ContextDescriptorFlags` and the section of type records.
enum LinkedClasses {
  private struct Table {
    /// The number of images scanned; the table is rebuilt if another image has been loaded since.
    var images = -1
    /// The sorted modules that declare a class, by class name.
    var modules: [String: [String]] = [:]
  }
  private static let table = Mutex(Table())

  /// Returns the modules that declare a top-level class with the given name, sorted.
  ///
  /// - Complexity: O(types of the process) at the first call and after an image was loaded; otherwise
  ///   O(images).
  static func modules(ofClass name: String) -> [String] {
    table.withLock { table in
      let records = TypeRecords()
      if records.images != table.images {
        table.images = records.images
        var found: [String: Set<String>] = [:]
        records.forEachClass { found[$0, default: []].insert($1) }
        table.modules = found.mapValues { $0.sorted() }
      }
      return table.modules[name] ?? []
    }
  }
}

private struct TypeRecords {
  /// The type records of one image; each record is a 32-bit relative pointer.
  private struct Section {
    let start: UnsafeRawPointer
    let length: Int
  }
  private var sections: [Section] = []
  private(set) var images = 0

  /// The offset of the type records' range in an image's metadata record.
  ///
  /// The range follows the version, the base address, two reserved words, and the ranges of protocols and
  /// conformances.
  private static let typesOffset = (4 + 2 + 2) * MemoryLayout<UInt>.size

  init() {
    withUnsafeMutablePointer(to: &self) { records in
      enumerateMetadataSections(
        { image, context in
          guard let records = context?.assumingMemoryBound(to: TypeRecords.self) else {
            return false
          }
          records.pointee.images += 1
          let place = image + TypeRecords.typesOffset
          let start = place.load(as: UnsafeRawPointer?.self)
          let length = place.load(fromByteOffset: MemoryLayout<UInt>.size, as: Int.self)
          if let start, length > 0 {
            records.pointee.sections.append(Section(start: start, length: length))
          }
          return true
        },
        records
      )
    }
  }

  /// Calls `body` with the name and the module of each top-level class that is not generic.
  func forEachClass(_ body: (_ name: String, _ module: String) -> Void) {
    for section in sections {
      for offset in stride(from: 0, to: section.length - 3, by: 4) {
        let place = section.start + offset
        let word = place.loadUnaligned(as: Int32.self)
        // Records of the kinds 2 and 3 refer to Objective-C types.
        guard word & 3 <= 1, let type = Self.target(place, word & ~3, isIndirect: word & 1 != 0)
        else { continue }
        let descriptor = TypeDescriptor(address: type)
        guard descriptor.isPlainClass, let module = descriptor.module else { continue }
        body(descriptor.name, module)
      }
    }
  }

  fileprivate static func target(
    _ place: UnsafeRawPointer,
    _ offset: Int32,
    isIndirect: Bool
  ) -> UnsafeRawPointer? {
    if offset == 0 { return nil }
    let target = place + Int(offset)
    return isIndirect ? target.load(as: UnsafeRawPointer?.self) : target
  }
}

/// The compiler's descriptor of a type or module, which begins with three 32-bit fields: the flags, and the
/// relative addresses of the parent and of the name.
private struct TypeDescriptor {
  private enum Kind { static let module: UInt32 = 0, classType: UInt32 = 16 }
  let address: UnsafeRawPointer

  private var flags: UInt32 { address.load(as: UInt32.self) }
  private var kind: UInt32 { flags & 0x1F }
  private var isGeneric: Bool { flags & 0x80 != 0 }

  var isPlainClass: Bool { kind == Kind.classType && !isGeneric }

  var name: String {
    let place = address + 8
    let text = place + Int(place.load(as: Int32.self))
    return String(cString: text.assumingMemoryBound(to: CChar.self))
  }

  /// The name of the module that declares the type at its top level; nil for a nested type.
  var module: String? {
    let place = address + 4
    let word = place.load(as: Int32.self)
    guard let parent = TypeRecords.target(place, word & ~1, isIndirect: word & 1 != 0) else {
      return nil
    }
    let descriptor = TypeDescriptor(address: parent)
    return descriptor.kind == Kind.module ? descriptor.name : nil
  }
}
#else
/// An empty table, because the Objective-C runtime finds classes by name.
enum LinkedClasses {
  static func modules(ofClass name: String) -> [String] { [] }
}
#endif
