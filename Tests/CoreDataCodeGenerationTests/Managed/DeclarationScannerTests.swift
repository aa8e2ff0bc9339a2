// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataCodeGeneration

struct DeclarationScannerTests {
  private func scan(_ text: String) -> SourceDeclarations {
    DeclarationScanner.scan(Array(text.utf8), file: "Item.swift")
  }

  private func members(_ text: String) -> [String] {
    func all(_ types: [TypeDeclaration]) -> [ManagedMember] {
      types.flatMap { $0.managed + all($0.members) }
    }
    return all(scan(text).types).map { member in
      switch member.kind {
      case .property(let type): "\(member.name): \(type.text)"
      case .function(let parameters, _):
        "\(member.name)(" + parameters.map { "\($0.label ?? "_"):\($0.type.text)" }.joined() + ")"
      }
    }
  }

  @Test(arguments: [
    #"let a = "@NSManaged var no: Int""#,
    ##"let a = #"\(" } @NSManaged var no: Int"#"##,
    "let a = \"\"\"\n  @NSManaged var no: Int }\n  \"\"\"",
    #"let a = "\(b("}") + "@NSManaged var no: Int")""#,
    "// @NSManaged var no: Int }",
    "/* /* } */ @NSManaged var no: Int */",
    "let a = /@NSManaged var [}]\\/ no: Int/",
    "let a = #/\n  } @NSManaged var no: Int\n/#",
    "let a = b / c, d = e / f",
    "var a: Int { get { 1 } set { if true { } } }",
    "func `class`() { let x = [1: { $0 }] }",
    "enum Inner { case `class`, open, actor; case b(String = \"}\") }",
  ])
  func otherCodeIsSkipped(code: String) {
    #expect(
      members("class Item: NSManagedObject {\n\(code)\n@NSManaged var yes: Int16\n}") == [
        "yes: Int16"
      ]
    )
    #expect(
      scan("class Item: NSManagedObject {\n\(code)\n@NSManaged var yes: Int16\n}").problems.isEmpty
    )
  }

  @Test(arguments: [
    ("@NSManaged var a: [String : Set<B.C>?]!", "a: [String: Set<B.C>?]?"),
    ("@NSManaged public private(set) var a: Swift . String", "a: Swift.String"),
    ("@NSManaged var a : any P", "a: any P"),
    ("@objc dynamic @NSManaged open var a: Optional<Int>", "a: Optional<Int>"),
    ("@NSManaged\n  public\n  var `default`: Date", "default: Date"),
    ("@objc(addItemsObject:) @NSManaged func addToItems(_ value: Item)", "addToItems(_:Item)"),
    ("@NSManaged func replaceItems(at i: Int, with x: [Item])", "replaceItems(at:Intwith:[Item])"),
  ])
  func declarationsAreRead(code: String, expected: String) {
    #expect(members("class Item: NSManagedObject {\n\(code)\n}") == [expected])
  }

  @Test func severalPropertiesInOneDeclarationShareAType() {
    #expect(
      members("class I: X { @NSManaged var x, y: Double, name: String? }")
        == ["x: Double", "y: Double", "name: String?"]
    )
  }

  @Test func attributesInABlockBelongToTheDeclarationAfterIt() throws {
    let source = scan(
      """
      #if canImport(ObjectiveC)
      @objc(XYZItem)
      #endif
      public class Item: NSManagedObject {
        #if canImport(ObjectiveC)
        @objc
        #endif
        @NSManaged public var title: String?
        #if os(iOS)
        @NSManaged var image: UIImage?
        #elseif DEBUG && !os(watchOS)
        @NSManaged var debug: String?
        #else
        @NSManaged var other: String?
        #endif
      }
      """
    )
    let type = try #require(source.types.first)
    #expect(type.objectiveCName == "XYZItem")
    #expect(type.conditions.isEmpty)
    #expect(type.access == .public)
    #expect(
      type.managed.map(\.conditions) == [
        [], ["os(iOS)"], ["!(os(iOS)) && (DEBUG && !os(watchOS))"],
        ["!(os(iOS)) && !(DEBUG && !os(watchOS))"],
      ]
    )
  }

  @Test(arguments: [
    ("os(Linux)", true), ("!os(Linux)", false), ("canImport(UIKit)", false),
    ("canImport(Foundation) && !canImport(ObjectiveC)", true), ("DEBUG && canImport(UIKit)", false),
    ("os(iOS) || (os(Linux) && !false)", true),
  ])
  func conditionsThatAreKnownAreEvaluated(condition: String, expected: Bool) {
    #expect(ConditionEvaluator.value(of: condition) == expected)
  }

  @Test(arguments: [
    "DEBUG", "swift(>=6)", "canImport(Other)", "DEBUG || os(iOS)", "os(Linux) && X",
  ])
  func otherConditionsStayInTheGeneratedCode(condition: String) {
    #expect(ConditionEvaluator.value(of: condition) == nil)
  }

  @Test func theSourcesOfThisPackageAreUnderstood() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    var count = 0
    var problems: [String] = []
    for folder in ["Sources", "Tests"] {
      let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      for case let path as String in try #require(files) where path.hasSuffix(".swift") {
        let file = root.appendingPathComponent(folder).appendingPathComponent(path)
        let source = DeclarationScanner.scan(Array(try Data(contentsOf: file)), file: path)
        problems += source.problems.map { "\(path):\($0.line): \($0.reason)" }
        count += source.types.count
      }
    }
    #expect(problems == [])
    #expect(count > 1_500)
  }

  @Test(arguments: [
    ("class Item: X {\n  func a() {\n}\n", 1), ("class Item: X {\n}\n}", 3),
    ("class Item: X {\n  let a = \"\"\"\n  text\n}", 2), ("/* a\nclass Item {}", 1),
  ])
  func aSourceThatDoesNotParseIsReportedByLine(text: String, line: Int) {
    #expect(scan(text).problems.first?.line == line)
  }
}
