// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataCodeGeneration
import _CoreDataPort

/// What is true of the rewriting of any source.
///
/// With `COREDATA_PORT_ROUNDS=500` each random test uses that many sources, and every source of the package is
/// rewritten instead of every tenth one.
struct PortPropertyTests {
  private static let given = ProcessInfo.processInfo.environment["COREDATA_PORT_ROUNDS"].flatMap {
    Int($0)
  }
  private static let rounds = given ?? 100

  /// The strings of a source, whose text is never changed.
  private static func literals(_ bytes: [UInt8]) -> [String] {
    let source = SwiftLexer.tokens(of: bytes)
    return source.tokens.filter { $0.kind == .literal }.map { source.text($0) }
  }

  private static func expectSound(_ source: PortedSource) {
    let result = source.result
    var position = 0
    var rest = result[...]
    // The bytes between edits are in the result, in the same order. Edits replace neither strings nor
    // comments.
    for edit in source.edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      #expect(edit.range.lowerBound >= position, "edits overlap in \(source.path)")
      if edit.range.lowerBound < position { return }
      let replaced = String(decoding: source.bytes[edit.range], as: UTF8.self)
      #expect(!["\"", "//", "/*", "*/"].contains { replaced.contains($0) }, "\(replaced)")
      let kept = source.bytes[position..<edit.range.lowerBound]
      #expect(rest.starts(with: kept))
      rest = rest.dropFirst(kept.count + edit.replacement.utf8.count)
      position = edit.range.upperBound
    }
    #expect(rest.elementsEqual(source.bytes[position...]))
  }

  private static func expectIdempotent(_ source: PortedSource) {
    let input = SourcePort.Input(path: source.path, bytes: source.result)
    let again = SourcePort(sources: [input]).ported(all: true)[0]
    #expect(again.edits == [], "\(String(decoding: source.bytes, as: UTF8.self))")
  }

  private static let pieces = [
    "@objc ", "@objc(A)\n", "@objcMembers ", "public ", "private(set) ",
    "class A: NSManagedObject {\n",
    "}\n", "@NSManaged var b: String?\n", "#keyPath(A.b)", "let c = ", "\n", "  ",
    "// @objc #keyPath(A.b)\n",
    "/* @objc /* #keyPath(A.b) */ */", "\"@objc \\(#keyPath(A.b)) \\(\"#keyPath(A.b)\")\"",
    "#\"@objc \\(#keyPath(A.b)) \\#(#keyPath(A.b))\"#", "\"\"\"\n@objc \\(#keyPath(A.b))\n\"\"\"\n",
    "import UIKit\n", "import Foundation\n", "import Combine // a\n", "#if DEBUG\n",
    "#if os(iOS)\n", "#else\n", "#endif\n",
    "func d() {}\n", "override init(entity: E, insertInto c: C?) {}\n", "protocol P {\n",
    "@objc protocol Q {}\n",
    "A.fetchRequest() as! NSFetchRequest<A>", " #selector(NSString.compare(_:))", "(", ")", "é👍",
    "\r\n", "\t", ";", ",",
    "extension A { convenience init(context: NSManagedObjectContext) {} }\n",
    "@available(iOS 9, *) ", "dynamic var e = 1\n", "Foundation.ValueTransformer",
    "import CoreData\n",
    "\nc.addObserver(self, selector: #selector(d(_:)), name: e, object: nil)\n", "import SwiftUI\n",
    "let f: Published<Int>\n",
  ]

  /// Not even a source that does not parse loses a byte.
  @Test func randomTextsKeepTheirBytes() {
    var random = SplitMix(state: 0)
    for _ in 0..<Self.rounds {
      let text = (0..<Int.random(in: 1...40, using: &random))
        .map { _ in Self.pieces[Int.random(in: Self.pieces.indices, using: &random)] }.joined()
      let input = SourcePort.Input(path: "A.swift", bytes: Array(text.utf8))
      Self.expectSound(SourcePort(sources: [input]).ported(all: true)[0])
    }
  }

  private static let prefixes = [
    "", "@objc ", "@objc(a)\n", "@objc(a) // b\n", "@objc /* b */ ", "@objc @objcMembers ",
    "public ",
    "public @objc ", "@available(iOS 9, *) @objc ",
    "@objc\n  @available(iOS 9, *)\n  private(set) ",
    "@discardableResult public @objc dynamic ", "/** @objc */ ", "// #keyPath(A.b)\n",
    "#if DEBUG\n@objc\n#endif\n",
  ]
  private static let members = [
    "@NSManaged var b: String?", "func c() -> String { \"\\(#keyPath(A.b)) @objc\" }",
    "var d = [#keyPath(b)]",
    "override init(entity: E, insertInto c: C?) {}",
    "convenience init(context: NSManagedObjectContext) {}",
    "var e: Int {\n@objc(f) get { 1 }\n}",
    "let g = #selector(NSString.compare(_:)), h = #selector(A.c)",
    "let i = A.fetchRequest() as! NSFetchRequest<A> // as! NSFetchRequest<A>",
    "let j = #\"\"\"\n  @objc \\(#keyPath(A.b)) \\#(#keyPath(A.b))\n  \"\"\"#", "enum K { case l }",
  ]
  private static let starts = [
    "class A: NSManagedObject {", "extension A {", "protocol P {", "struct S {", "enum E {",
    "class B: A {",
    "class M: NSEntityMigrationPolicy { override init() {}",
  ]
  private static let imports = [
    "import UIKit", "import Foundation", "@preconcurrency import Combine // b", "import CoreData",
    "#if canImport(SwiftUI)\nimport SwiftUI\n#endif", "import class AppKit.NSImage",
  ]

  @Test func anotherRunChangesNothing() {
    var random = SplitMix(state: 1)
    func pick(_ texts: [String]) -> String { texts[Int.random(in: texts.indices, using: &random)] }
    for _ in 0..<Self.rounds {
      var lines = (0..<3).map { _ in pick(Self.imports) }
      for _ in 0..<3 {
        lines.append(pick(Self.prefixes) + pick(Self.starts))
        for _ in 0..<3 { lines.append("  " + pick(Self.prefixes) + pick(Self.members)) }
        lines.append("}")
      }
      let text = lines.joined(separator: pick(["\n", "\r\n"]))
      let input = SourcePort.Input(path: "A.swift", bytes: Array(text.utf8))
      let source = SourcePort(sources: [input]).ported(all: true)[0]
      Self.expectSound(source)
      Self.expectIdempotent(source)
    }
  }

  /// Sources of this package, with each attribute and key path that they could have.
  @Test func theSourcesOfThePackageKeepTheirTexts() throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    var files: [String] = []
    for folder in ["Sources", "Tests", "Examples", "Plugins"] {
      let paths = FileManager.default.enumerator(
        atPath: package.appendingPathComponent(folder).path
      )
      while let path = paths?.nextObject() as? String {
        // The originals of the example are there to be changed.
        guard path.hasSuffix(".swift"), !path.contains(".build/"), !path.contains("Ported/Xcode/")
        else { continue }
        files.append("\(folder)/\(path)")
      }
    }
    #expect(files.count > 500)
    files.sort()
    let step = Self.given == nil ? 10 : 1
    let inputs = try stride(from: 0, to: files.count, by: step).map { place in
      let url = package.appendingPathComponent(files[place])
      let text = try String(contentsOf: url, encoding: .utf8)
        .replacingOccurrences(of: "@discardableResult", with: "@objc(a) @discardableResult")
        .replacingOccurrences(of: "  public var ", with: "  public @objc dynamic var ")
        .replacingOccurrences(
          of: "\nimport Foundation\n",
          with: "\nimport UIKit\nimport Foundation\n"
        )
      return SourcePort.Input(path: files[place], bytes: Array(text.utf8))
    }
    let sources = SourcePort(sources: inputs).ported(all: true)
    #expect(sources.count { !$0.edits.isEmpty } > inputs.count / 3)
    for source in sources where !source.edits.isEmpty {
      #expect(Self.literals(source.result) == Self.literals(source.bytes), "\(source.path)")
      Self.expectSound(source)
      Self.expectIdempotent(source)
    }
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
