// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataCodeGeneration

/// The type aliases for names that are in Foundation and in this library.
@Suite struct ShadowedTypeTests {
  /// The aliases that are generated for a source, such as `public typealias NSExpression`.
  private func aliases(_ sources: String...) -> [String] {
    let texts = sources.enumerated().map { (path: "F\($0).swift", text: $1) }
    return ManagedAccessors.generate(module: "Shop", texts: texts).text.split(separator: "\n")
      .filter { $0.contains("typealias ") }
      .map { $0.components(separatedBy: " = ")[0] }
  }

  private func aliases(of body: String) -> [String] {
    aliases("import CoreData\nimport Foundation\n\(body)\n")
  }

  @Test(arguments: [
    ("let a = NSExpression(forKeyPath: \"a\")", ["typealias NSExpression"]),
    ("func f(_ a: [NSExpression?]) {}", ["typealias NSExpression"]),
    ("let a: NSComparisonPredicate.Operator = .equalTo", ["typealias NSComparisonPredicate"]),
    (
      "let a: NSExpression? = nil; var b: NSComparisonPredicate?",
      ["typealias NSExpression", "typealias NSComparisonPredicate"]
    ),
    ("// NSExpression", []),
    ("let a = \"NSExpression\"", []),
    ("let a: NSExpressionDescription", []),
    ("let a: CoreData.NSExpression", []),
    ("f(NSExpression: 1)", []),
    ("f(1, NSExpression: 1)", []),
    ("var a: [NSExpression: Int] = [:]", ["typealias NSExpression"]),
    ("typealias NSExpression = CoreData.NSExpression\nlet a: NSExpression", []),
    ("private typealias NSExpression = CoreData.NSExpression\nlet a: NSExpression", []),
    ("#if os(Linux)\ntypealias NSExpression = A\n#endif\nlet a: NSExpression", []),
    (
      "#if canImport(UIKit)\ntypealias NSExpression = A\n#endif\nlet a: NSExpression",
      ["typealias NSExpression"]
    ),
    ("extension NSExpression {}", ["typealias NSExpression"]),
  ])
  func anAliasIsGeneratedForANameThatIsUsedAndNotDeclared(body: String, expected: [String]) {
    #expect(aliases(of: body) == expected)
  }

  @Test(arguments: [
    ("public func f(a: Int, b: NSExpression) {}", "public "),
    ("public var a: NSExpression { get { x } }", "public "),
    ("public let a = 1, b: NSExpression", "public "),
    ("public extension A { func f() -> NSExpression? {} }", "public "),
    ("public protocol A { var a: NSExpression { get } }", "public "),
    ("public enum A { case a(NSExpression) }", "public "),
    ("public class A { public init(a: NSExpression) {} }", "public "),
    ("open class A { open class func a() -> NSExpression {} }", "public "),
    ("public class A: NSExpression {}", "public "),
    ("@inlinable public func f() { _ = NSExpression(forKeyPath: \"\") }", "public "),
    ("package func f(_ a: NSExpression) {}", "package "),
    ("public func f() { let a = NSExpression(forKeyPath: \"\") }", ""),
    ("public class A { let a: NSExpression }", ""),
    ("public class A { public var b: Int\n  var a: NSExpression }", ""),
    ("public extension A { private func f() -> NSExpression? {} }", ""),
    ("public private(set) var b = 1\nfunc f(_ a: NSExpression) {}", ""),
    ("public func f() {}\nstruct A { enum B { case a(NSExpression) } }", ""),
    ("func f() { switch a { case is NSExpression: break } }", ""),
  ])
  func theAliasHasTheAccessOfTheDeclarationsThatUseIt(body: String, access: String) {
    #expect(aliases(of: body) == ["\(access)typealias NSExpression"])
  }

  @Test func aFileThatImportsOnlyThisLibraryNeedsNoAlias() {
    let use = "let a: NSExpression"
    #expect(aliases("import CoreData\n\(use)", "import Foundation\n") == [])
    #expect(aliases("import CoreData\n\(use)", "import Foundation\n\(use)").count == 1)
    #expect(aliases("import CoreData\nimport XCTest\n\(use)").count == 1)
    #expect(aliases("import CoreData\nimport struct Foundation.Date\n\(use)").count == 1)
  }

  @Test func aPublicAliasNeedsAPublicImport() {
    let text = ManagedAccessors.generate(
      module: "Shop",
      texts: [("A.swift", "import XCTest\npublic func f(_ a: NSExpression) {}")]
    ).text
    #expect(
      text.hasSuffix(
        """

        public import CoreData

        // Foundation has empty classes with these names.
        public typealias NSExpression = CoreData.NSExpression

        """
      )
    )
  }
}
