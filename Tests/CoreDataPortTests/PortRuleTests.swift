// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataPort

struct PortRuleTests {
  // MARK: Selectors

  @Test(arguments: [
    ("NSString.localizedStandardCompare(_:)", "localizedStandardCompare:"),
    ("NSString.caseInsensitiveCompare", "caseInsensitiveCompare:"),
    ("Foundation.NSString.localizedCompare( _ : )", "localizedCompare:"),
    ("NSNumber.compare(_:)", "compare:"),
  ])
  func selectorsOfSortDescriptorsBecomeTexts(selector: String, expected: String) throws {
    let start = "let a = NSSortDescriptor(key: \"b\", ascending: true, selector: "
    #expect(
      try Porting.text("\(start)#selector(\(selector)))") == "\(start)Selector((\"\(expected)\")))"
    )
  }

  @Test(arguments: [
    (
      "center.addObserver(self, selector: #selector(changed(_:)), name: n, object: nil)",
      "1:36 #selector(changed(_:)): write addObserver(forName:object:queue:using:) with a closure"
    ),
    (
      "perform(#selector(A.b))",
      "1:9 #selector(A.b): pass a closure, or put the call inside #if canImport(ObjectiveC)"
    ),
    (
      "a(#selector(NSString.compare(_:options:)))",
      "1:3 #selector(NSString.compare(_:options:)): pass a closure, or put the call inside "
        + "#if canImport(ObjectiveC)"
    ),
  ])
  func otherSelectorsAreLeft(text: String, expected: String) throws {
    #expect(try Porting.text(text) == text)
    #expect(try Porting.left(text) == [expected])
  }

  // MARK: Requests

  private static let item = "class Item: NSManagedObject {}"
  private static let model = "<entity name=\"Thing\" representedClassName=\"Item\"/>"

  @Test(arguments: [
    ("Item.fetchRequest() as! NSFetchRequest<Item>", "NSFetchRequest<Item>(entityName: \"Thing\")"),
    (
      "Item.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>",
      "NSFetchRequest<NSFetchRequestResult>(entityName: \"Thing\")"
    ),
    (
      "T.fetchRequest()\n  as! NSFetchRequest<T>",
      "NSFetchRequest<T>(entityName: T.entity().name ?? String(describing: T.self))"
    ),
    (
      "fetchRequest() as! NSFetchRequest<Self>",
      "NSFetchRequest<Self>(entityName: Self.entity().name ?? String(describing: Self.self))"
    ),
    ("Item.fetchRequest() as NSFetchRequest<Item>", "Item.fetchRequest() as NSFetchRequest<Item>"),
  ])
  func castsOfRequestsBecomeRequests(text: String, expected: String) throws {
    let ported = try Porting.text("let a = \(text)", beside: [Self.item], entities: Self.model)
    #expect(ported == "let a = \(expected)")
  }

  @Test(arguments: [
    ("a as? NSFetchRequest<Item>", "1:3 cast to NSFetchRequest<Item>: "),
    ("Item.fetchRequest() as? NSFetchRequest<Item>", "1:21 cast to NSFetchRequest<Item>: "),
    ("a as! [NSFetchRequestResult]", "1:3 cast to NSFetchRequestResult: "),
    ("a is NSFetchRequestResult", "1:3 cast to NSFetchRequestResult: "),
  ])
  func otherCastsAreLeft(text: String, expected: String) throws {
    #expect(try Porting.text(text) == text)
    let left = try Porting.left(text)
    #expect(left.count == 1 && left[0].hasPrefix(expected), "\(left)")
  }

  // MARK: Initializers

  private static let entity =
    "init(entity: NSEntityDescription, insertInto c: NSManagedObjectContext?) {}"

  @Test(arguments: [
    "override \(entity)", "required override \(entity)",
    "convenience init(context: NSManagedObjectContext) {}",
    "\(entity)\n  init(context: NSManagedObjectContext, name: String) {}",
    "func a() { super.\(entity) }",
  ])
  func initializersOfManagedObjectsAreNotChanged(text: String) throws {
    let source = "class Item: NSManagedObject {\n  \(text)\n}"
    #expect(try Porting.text(source) == source)
    #expect(try Porting.left(source) == [])
  }

  @Test func initializersOfOtherClassesAreNotChanged() throws {
    let text = "class A: B { init(context: NSManagedObjectContext) {} }"
    #expect(try Porting.text(text) == text)
    #expect(try Porting.left(text) == [])
    let policy = "class A: NSEntityMigrationPolicy { override init() {} }"
    #expect(try Porting.text(policy) == policy)
  }

  @Test func anInitializerInAnExtensionIsLeft() throws {
    let text = "extension Item { convenience init(context: NSManagedObjectContext) {} }"
    #expect(
      try Porting.left(text, beside: [Self.item]) == [
        "1:18 init(context:): move it into the class, because an extension cannot override it"
      ]
    )
  }

  @Test func aDesignatedInitializerNeedsTheOneThatCoreDataCalls() throws {
    let text = "class Item: NSManagedObject {\n  public init(name: String, in c: Context) {}\n}"
    #expect(
      try Porting.left(text) == [
        "2:3 init(name:in:): also override init(entity:insertInto:), which Core Data calls, and which "
          + "a class with its own designated initializer does not inherit"
      ]
    )
  }

  // MARK: Imports

  @Test(arguments: [
    (
      "import UIKit\nimport CoreData\nlet a: NSObject",
      "#if canImport(UIKit)\nimport UIKit\n#endif\nimport CoreData\nlet a: NSObject"
    ),
    (
      "import UIKit // UIColor\nlet a: NSObject",
      "#if canImport(UIKit)\nimport UIKit // UIColor\n#else\nimport Foundation\n#endif\nlet a: NSObject"
    ),
    (
      "@preconcurrency import Combine\nimport Foundation",
      "#if canImport(Combine)\n@preconcurrency import Combine\n#endif\nimport Foundation"
    ),
    (
      "import CoreData\nimport class UIKit.UIColor\nlet a = 1 as CGFloat",
      "import CoreData\n#if canImport(UIKit)\nimport class UIKit.UIColor\n#endif\nlet a = 1 as CGFloat"
    ),
    (
      "import Foundation\nimport XCTest\nimport Shop",
      "import Foundation\nimport XCTest\nimport Shop"
    ),
    (
      "#if canImport(UIKit)\nimport UIKit\n#endif\nlet a: UIView",
      "#if canImport(UIKit)\nimport UIKit\n#endif\nlet a: UIView"
    ),
  ])
  func unusedImportsAreConditional(text: String, expected: String) throws {
    #expect(try Porting.text(text) == expected)
    #expect(try Porting.left(text).isEmpty)
  }

  @Test(arguments: [
    (
      "import UIKit\nlet a: UIImage?",
      "1:1 import UIKit: the file uses UIImage; put the import and the code that uses UIKit inside "
        + "#if canImport(UIKit)"
    ),
    (
      "import Combine\nlet a: AnyPublisher<Int, Never>, b = a.combineLatest(c)",
      "1:1 import Combine: OpenCombine has no combineLatest; put its uses inside #if canImport(Combine)"
    ),
    (
      "import Combine\nlet a: AnyPublisher<Int, Never>, b = a.merge(with: c)",
      "1:1 import Combine: OpenCombine has no merge(with:); put its uses inside #if canImport(Combine)"
    ),
    (
      "import Foundation; import UIKit",
      "1:20 import UIKit: write the import on a line of its own, and port again"
    ),
  ])
  func usedImportsAreLeft(text: String, expected: String) throws {
    #expect(try Porting.text(text) == text)
    #expect(try Porting.left(text) == [expected])
  }

  @Test(arguments: [
    (
      "import Combine\nimport CoreData\nclass A: ObservableObject { @Published var b = 1 }",
      "Combine", "\nimport CoreData\nclass A: ObservableObject { @Published var b = 1 }"
    ),
    ("import SwiftUI\nlet a: Published<Int>", "SwiftUI", "\nlet a: Published<Int>"),
  ])
  func usesOfCombineHaveAStandIn(text: String, module: String, rest: String) throws {
    let expected =
      "#if canImport(\(module))\nimport \(module)\n#else\nimport CoreDataCompatibility\n#endif\(rest)"
    #expect(try Porting.text(text) == expected)
    #expect(try Porting.left(text).isEmpty)
    #expect(try Porting.text(expected) == expected)
  }

  @Test func aFileWithUserInterfaceHasOneFinding() throws {
    let text = "import CoreData\nimport UIKit\nclass A: UIViewController { @objc func b() {} }"
    #expect(try Porting.text(text) == text)
    #expect(
      try Porting.left(text) == [
        "2:1 import UIKit: A: UIViewController is part of a user interface; leave the file out of the target "
          + "for Linux, or put its content inside #if canImport(UIKit)"
      ]
    )
  }

  @Test func anObservableObjectIsNotUserInterface() throws {
    let left = try Porting.left(
      "import SwiftUI\nclass A: ObservableObject { let a = #selector(b) }"
    )
    #expect(left.count == 1 && left[0].hasPrefix("2:37 #selector(b): pass a closure"), "\(left)")
  }

  @Test func namesThatTheProjectDeclaresAreNotThoseOfAModule() throws {
    #expect(
      try Porting.left("import SwiftUI\nlet a: List<Int>", beside: ["struct List<T> {}"]).isEmpty
    )
  }

  // MARK: Arguments of formats

  @Test(arguments: [
    (
      "NSPredicate(format: f, arguments: getVaList([a, b(c)]))",
      "NSPredicate(format: f, argumentArray: [a, b(c)])"
    ),
    (
      "NSExpression.init(format: f, arguments : getVaList( d ))",
      "NSExpression.init(format: f, argumentArray: d )"
    ),
    ("String(format: f, arguments: getVaList(a))", nil),
    ("NSPredicate(format: f, argumentArray: a)", nil),
  ])
  func argumentListsBecomeArrays(text: String, expected: String?) throws {
    #expect(try Porting.text(text) == expected ?? text)
    #expect(try Porting.left(text).isEmpty)
  }

  @Test func otherArgumentListsAreLeft() throws {
    let text = "withVaList(a) { NSPredicate(format: f, arguments: $0) }"
    #expect(try Porting.text(text) == text)
    #expect(
      try Porting.left(text) == [
        "1:40 arguments: takes a va_list, which cannot contain objects on Linux; "
          + "pass an array to argumentArray:"
      ]
    )
  }

  // MARK: Names

  @Test(arguments: [
    ("let a: Foundation.ValueTransformer", "let a: ValueTransformer"),
    ("Foundation . UndoManager()", "UndoManager()"),
    ("let a: Foundation.Data, b = c.Foundation.ValueTransformer", nil),
  ])
  func namesThatFoundationOnLinuxLacksAreNotQualified(text: String, expected: String?) throws {
    #expect(try Porting.text(text) == expected ?? text)
  }

  @Test func aNameThatTheProjectDeclaresTooIsLeft() throws {
    let text = "let a: Foundation.ValueTransformer"
    let others = ["class ValueTransformer {}"]
    #expect(try Porting.text(text, beside: others) == text)
    #expect(
      try Porting.left(text, beside: others) == [
        "1:8 Foundation.ValueTransformer: the project declares a type ValueTransformer, so write "
          + "CoreData.ValueTransformer for Linux, in #else of #if canImport(ObjectiveC)"
      ]
    )
  }

  // MARK: Others

  @Test func optionalRequirementsAndObservationByKeyPathAreLeft() throws {
    let left = try Porting.left(
      "protocol P {\n  optional func a()\n}\nclass A {\n  override func observeValue(forKeyPath a: String?) {}\n}"
    )
    #expect(left.count == 2)
    #expect(left[0].hasPrefix("2:3 optional requirement: "))
    #expect(left[1].hasPrefix("5:17 observeValue(forKeyPath:…): "))
  }

  @Test func overridesInExtensionsAreLeft() throws {
    let text = """
      extension Item {
        public override func awakeFromInsert() {}
        class Inner: Item { override func awakeFromFetch() {} }
      }
      class Other: Item { override func awakeFromInsert() {} }
      """
    let left = try Porting.left(text)
    #expect(left.count == 1 && left[0].hasPrefix("2:10 override in an extension: "), "\(left)")
  }

  @Test func containersOfCloudKitAreLeft() throws {
    let text = """
      let a = NSPersistentCloudKitContainer(name: "A") // NSPersistentCloudKitContainer
      #if canImport(CloudKit)
      let b = NSPersistentCloudKitContainer(name: "A")
      #endif
      """
    let left = try Porting.left(text)
    #expect(left.count == 1 && left[0].hasPrefix("1:9 NSPersistentCloudKitContainer: "), "\(left)")
  }

  @Test(arguments: ["let a = \"b", "/* a", "let a = \"\"\"\n b"])
  func aFileWithAnUnterminatedTextIsNotChanged(text: String) throws {
    let text = "@objc class A {}\n" + text
    #expect(try Porting.text(text) == text)
    #expect(try Porting.left(text).count == 1)
  }

  @Test(arguments: [
    ("import CoreData", true), ("let a: NSManagedObjectID", true), ("let a: Item", true),
    ("let a: Other // Item", false), ("let a = \"\\(Item.self)\"", true),
    ("let a = \"Item\"", false),
  ])
  func filesThatUseCoreDataAreFound(text: String, expected: Bool) throws {
    #expect(
      try Porting.source(text, beside: [Self.item], all: false).usesCoreData == expected
    )
  }

  @Test func otherFilesArePortedOnlyOnRequest() throws {
    #expect(try Porting.source("@objc class A {}", all: false).edits.isEmpty)
    #expect(try !Porting.source("@objc class A {}", all: true).edits.isEmpty)
  }
}
