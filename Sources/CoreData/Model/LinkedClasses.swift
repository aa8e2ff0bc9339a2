// SPDX-License-Identifier: Apache-2.0

#if !canImport(ObjectiveC)
import Synchronization

// Unsafe: a function of Swift's own runtime, shared or linked statically; its arguments are two words, so C's
// calling convention and Swift's are one. Swift Testing finds tests by it.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateMetadataSections(
  _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool,
  _ context: UnsafeMutableRawPointer?
)

/// The classes that are linked into the process, by name: what Apple's runtime tells of classes by their
/// Objective-C names.
///
/// The compiler leaves a record of each type in the program and its libraries; the records name the type and
/// its module, whatever the program's file is called. Classes inside other types and generic ones have no
/// plain name and are left out.
/// Source: Swift's ABI, “TypeMetadata.md”, `ContextDescriptorFlags` and the section of type records.
enum LinkedClasses {
  private struct Table {
    /// How many images were looked at; one that is loaded later makes the table anew.
    var images = -1
    /// Class name → modules that have one of that name, sorted.
    var modules: [String: [String]] = [:]
  }
  private static let table = Mutex(Table())

  /// The modules that declare a class of that name at their top level, sorted.
  ///
  /// - Complexity: O(types of the process) at the first call and after an image was loaded.
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

/// The records of the types in all images of the process.
private struct TypeRecords {
  /// One image's records: relative pointers of 32 bits.
  private struct Section {
    let start: UnsafeRawPointer
    let length: Int
  }
  private var sections: [Section] = []
  private(set) var images = 0

  /// Where an image's record of sections has that of its types: behind version, base address and two words
  /// for later use come the ranges of protocols, conformances and types.
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

  /// Calls `body` with name and module of each class at a module's top level that is not generic.
  func forEachClass(_ body: (_ name: String, _ module: String) -> Void) {
    for section in sections {
      for offset in stride(from: 0, to: section.length - 3, by: 4) {
        let place = section.start + offset
        let word = place.loadUnaligned(as: Int32.self)
        // Other kinds of record stand for types of Objective-C.
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

/// The compiler's description of a type or module: flags, parent and name, 32 bits each.
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

  /// The name of the module that declares the type at its top level; nil for a type inside another one.
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
/// Apple's runtime finds classes by their names itself.
enum LinkedClasses {
  static func modules(ofClass name: String) -> [String] { [] }
}
#endif
