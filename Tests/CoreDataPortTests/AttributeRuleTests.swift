// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataPort

struct AttributeRuleTests {
  /// `‹@objc›` in an expected text stands for the attribute in its condition, on lines of their own.
  private static func expanded(_ text: String) -> String {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let start = line.firstIndex(of: "‹"), let end = line.firstIndex(of: "›") else {
        lines.append(String(line))
        continue
      }
      let indentation = line[..<start]
      let attribute = line[line.index(after: start)..<end]
      lines += ["\(indentation)#if canImport(ObjectiveC)"]
      lines += ["\(indentation)\(attribute)\(line[line.index(after: end)...])"]
      lines += ["\(indentation)#endif"]
    }
    return lines.joined(separator: "\n")
  }

  @Test(arguments: [
    ("@objc(Item)\npublic class Item {}", "‹@objc(Item)›\npublic class Item {}"),
    ("  @objc var a: Int", "  ‹@objc›\n  var a: Int"),
    ("\t@objc dynamic var a = 1", "\t‹@objc›\n\tdynamic var a = 1"),
    ("@objcMembers final class A {}", "‹@objcMembers›\nfinal class A {}"),
    ("@objc (a) func b() {}", "‹@objc (a)›\nfunc b() {}"),
    ("@objc(a:b:) func c(a: Int, b: Int) {}", "‹@objc(a:b:)›\nfunc c(a: Int, b: Int) {}"),
    ("@discardableResult @objc func a() {}", "@discardableResult\n‹@objc›\nfunc a() {}"),
    ("@objc @discardableResult func a() {}", "‹@objc›\n@discardableResult func a() {}"),
    ("@available(iOS 9, *)\n@objc\nfunc a() {}", "@available(iOS 9, *)\n‹@objc›\nfunc a() {}"),
    ("@objc enum A: Int { case b }", "‹@objc›\nenum A: Int { case b }"),
    ("var a: Int {\n  @objc(getA) get { 1 }\n}", "var a: Int {\n  ‹@objc(getA)›\n  get { 1 }\n}"),
    ("class A { @objc var b: Int }", "class A {\n‹@objc›\nvar b: Int }"),
    ("@objc // why\nfunc a() {}", "‹@objc› // why\nfunc a() {}"),
    ("@objc /* why */ func a() {}", "‹@objc›\n/* why */ func a() {}"),
    ("@objc /* why\n*/ func a() {}", "‹@objc›\n/* why\n*/ func a() {}"),
    ("@objc", "‹@objc›"),
    ("  var optional\n  @objc var a", "  var optional\n  ‹@objc›\n  var a"),
    ("@objc @objcMembers class A {}", "‹@objc @objcMembers›\nclass A {}"),
    ("@objc(A)\n@objcMembers\nclass A {}", "‹@objc(A)›\n‹@objcMembers›\nclass A {}"),
    ("@objc extension A {}", "‹@objc›\nextension A {}"),
  ])
  func anAttributeBeforeModifiersIsSurrounded(text: String, expected: String) throws {
    #expect(try Porting.text(text) == Self.expanded(expected))
  }

  @Test(arguments: [
    ("  public @objc dynamic var a = 1", "  ‹@objc›\n  public dynamic var a = 1"),
    ("private(set) @objc var a = 1", "‹@objc›\nprivate(set) var a = 1"),
    ("@IBAction private @objc func a() {}", "@IBAction\n‹@objc›\nprivate func a() {}"),
    (
      "public @discardableResult @objc\nfunc a() {}",
      "‹@objc›\npublic @discardableResult\nfunc a() {}"
    ),
    ("final public @objc(A) class A {}", "‹@objc(A)›\nfinal public class A {}"),
    ("override @objc /* b */ func a() {}", "‹@objc›\noverride /* b */ func a() {}"),
  ])
  func anAttributeAfterModifiersIsMovedBeforeThem(text: String, expected: String) throws {
    #expect(try Porting.text(text) == Self.expanded(expected))
  }

  @Test(arguments: [
    ("@objc protocol P {}", "‹@objc›\nprotocol P: AnyObject {}"),
    ("@objc public protocol `P` { }", "‹@objc›\npublic protocol `P`: AnyObject { }"),
    ("@objc protocol P: NSObjectProtocol {}", "‹@objc›\nprotocol P: NSObjectProtocol {}"),
    ("@objc protocol P: AnyObject {}", "‹@objc›\nprotocol P: AnyObject {}"),
  ])
  func aProtocolStaysAClassProtocol(text: String, expected: String) throws {
    #expect(try Porting.text(text) == Self.expanded(expected))
  }

  @Test(arguments: [
    "// @objc\nvar a = 1",
    "/* /* */ @objc */ var a = 1",
    "let a = \"@objc var b\"",
    "let a = #\"\"\"\n  @objc \\(@objc)\n  \"\"\"#",
    "@nonobjc class func a() {}",
    "@objcFoo var a = 1",
    "#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}",
    "#if os(iOS) || os(macOS)\n@objc class A {}\n#endif",
    "#if os(Linux)\nclass A {}\n#else\n@objc class A {}\n#endif",
    "let objc = 1, b = objc",
  ])
  func otherTextIsNotChanged(text: String) throws {
    #expect(try Porting.text(text) == text)
  }

  @Test func attributesInOtherConditionsAreRewritten() throws {
    #expect(
      try Porting.text("#if DEBUG\n@objc class A {}\n#endif")
        == Self.expanded("#if DEBUG\n‹@objc›\nclass A {}\n#endif")
    )
    #expect(
      try Porting.text("#if os(iOS)\n#else\n@objc class A {}\n#endif")
        == Self.expanded("#if os(iOS)\n#else\n‹@objc›\nclass A {}\n#endif")
    )
  }

  @Test func lineBreaksOfTheFileAreKept() throws {
    #expect(
      try Porting.text("import CoreData\r\n@objc(A)\r\nclass A {}\r\n")
        == "import CoreData\r\n#if canImport(ObjectiveC)\r\n@objc(A)\r\n#endif\r\nclass A {}\r\n"
    )
  }

  @Test func aByteOrderMarkStaysAtTheStart() throws {
    #expect(
      try Porting.text("\u{FEFF}@objc class A {}")
        == "\u{FEFF}#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}"
    )
  }
}
