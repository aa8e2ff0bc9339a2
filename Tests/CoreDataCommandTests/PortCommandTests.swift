// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("coredata port", .needsCommand)
struct PortCommandTests {
  private static let model = """
    <model><entity name="Item" representedClassName="Item" codeGenerationType="class">
      <attribute name="title" optional="YES" attributeType="String"/>
      <relationship name="order" optional="YES" maxCount="1" destinationEntity="Order"/></entity>
    <entity name="Order" representedClassName="Order"/></model>
    """
  private static let order = """
    import CoreData

    class Order: NSManagedObject { @NSManaged var number: Int32 }

    """
  private static let list = """
    import CoreData

    @objc(ItemList) class ItemList: NSObject {
      let keys = [#keyPath(Item.title), #keyPath(Item.order.number)]
    }

    """
  private static let ported = """
    import CoreData

    #if canImport(ObjectiveC)
    @objc(ItemList)
    #endif
    class ItemList: NSObject {
      let keys = ["title", "order.number"]
    }

    """

  /// A project with a class, a list, a file without Core Data, and folders that are not the project's.
  private func project() throws -> Fixtures {
    let fixtures = try Fixtures()
    try Self.writeShop(in: fixtures)
    for folder in [".build/checkouts", "Pods", "Carthage", "DerivedData", ".git"] {
      try Self.write("Shop/\(folder)/Other.swift", Self.list, in: fixtures)
    }
    return fixtures
  }

  /// Writes the project that `docs/command.md` shows.
  static func writeShop(in fixtures: Fixtures) throws {
    try write("Shop/Shop.xcdatamodeld/Shop.xcdatamodel/contents", model, in: fixtures)
    try write("Shop/Order.swift", order, in: fixtures)
    try write("Shop/List.swift", list, in: fixtures)
    try write("Shop/Colors.swift", "import UIKit\n@objc class Colors: NSObject {}\n", in: fixtures)
  }

  private static func write(_ path: String, _ text: String, in fixtures: Fixtures) throws {
    let url = fixtures.folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: url)
  }

  private func read(_ path: String, in fixtures: Fixtures) throws -> String {
    try String(contentsOf: fixtures.folder.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("the default lists each place, and changes nothing", arguments: [[], ["--check"]])
  func check(options: [String]) throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    let outcome = try Command.run(["port", "Shop"] + options, in: fixtures.folder)
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.errors)")
    #expect(
      outcome.output == """
        Shop/List.swift:3:1: note: @objc(ItemList) → inside #if canImport(ObjectiveC)
        Shop/List.swift:4:15: note: #keyPath(Item.title) → "title"
        Shop/List.swift:4:37: note: #keyPath(Item.order.number) → "order.number"
        1 file has nothing to do with Core Data:
          Shop/Colors.swift
        3 places in 1 file can be rewritten (--diff shows how, --write does it); nothing left for a person

        """
    )
    #expect(try read("Shop/List.swift", in: fixtures) == Self.list)
  }

  @Test("--write changes the files, and a second run changes nothing")
  func write() throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    let list = fixtures.folder.appendingPathComponent("Shop/List.swift").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: list)
    let outcome = try Command.run("port", "Shop", "--write", in: fixtures.folder)
    #expect(outcome.status == 0)
    #expect(
      outcome.output
        == "wrote Shop/List.swift\n3 places in 1 file rewritten; nothing left for a person\n"
    )
    #expect(try read("Shop/List.swift", in: fixtures) == Self.ported)
    let mode = try FileManager.default.attributesOfItem(atPath: list)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    let again = try Command.run("port", "Shop", "--write", in: fixtures.folder)
    #expect(again.output == "nothing to rewrite; nothing left for a person\n")
    #expect(try read("Shop/List.swift", in: fixtures) == Self.ported)
    #expect(try read("Shop/Pods/Other.swift", in: fixtures) == Self.list)
  }

  @Test("--diff prints a patch that gives what --write writes")
  func diff() throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    let outcome = try Command.run("port", ".", "--diff", in: fixtures.folder)
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        --- a/Shop/List.swift
        +++ b/Shop/List.swift
        @@ -1,5 +1,8 @@
         import CoreData
         \("")
        -@objc(ItemList) class ItemList: NSObject {
        -  let keys = [#keyPath(Item.title), #keyPath(Item.order.number)]
        +#if canImport(ObjectiveC)
        +@objc(ItemList)
        +#endif
        +class ItemList: NSObject {
        +  let keys = ["title", "order.number"]
         }

        """
    )
    #expect(try read("Shop/List.swift", in: fixtures) == Self.list)
  }

  @Test("what is left for a person has its place after --write, and exit code 1")
  func left() throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    try Self.write("Shop/Old.m", "@interface Old : NSManagedObject\n@end\n", in: fixtures)
    try Self.write(
      "Shop/Keys.swift",
      "import CoreData\n@objc class Keys {\n  let a = #keyPath(Item.nope)\n}\n",
      in: fixtures
    )
    let reason = "warning: #keyPath(Item.nope): write the key path as a string; "
    let check = try Command.run("port", "Shop/Keys.swift", "Shop", in: fixtures.folder)
    #expect(check.status == 1)
    #expect(check.output.contains("Shop/Keys.swift:3:11: \(reason)"))
    #expect(check.output.contains("Shop/Old.m:1:1: warning: Objective-C: "))
    let diff = try Command.run("port", "Shop", "--diff", in: fixtures.folder)
    #expect(diff.status == 1 && diff.errors.contains("Shop/Keys.swift:3:11: \(reason)"))
    let write = try Command.run("port", "Shop", "--write", in: fixtures.folder)
    #expect(write.status == 1)
    #expect(write.output.contains("Shop/Keys.swift:6:11: \(reason)"))
    #expect(write.output.hasSuffix("4 places in 2 files rewritten; 2 places left for a person\n"))
  }

  @Test("--all ports files that have nothing to do with Core Data")
  func all() throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    _ = try Command.run("port", "Shop", "--all", "--write", in: fixtures.folder)
    #expect(
      try read("Shop/Colors.swift", in: fixtures) == """
        #if canImport(UIKit)
        import UIKit
        #else
        import Foundation
        #endif
        #if canImport(ObjectiveC)
        @objc
        #endif
        class Colors: NSObject {}

        """
    )
  }

  @Test("--exclude leaves files and folders out, which are neither listed nor changed")
  func exclude() throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    let view = "import UIKit\nclass ItemView: UIView { var item: Item? }\n"
    try Self.write("Shop/Views/ItemView.swift", view, in: fixtures)
    let check = try Command.run("port", "Shop", in: fixtures.folder)
    #expect(check.status == 1)
    #expect(check.output.contains("ItemView: UIView is part of a user interface"))
    let options = ["--exclude", "./Shop/Views/", "--exclude", "Shop/Colors.swift"]
    let outcome = try Command.run(["port", "Shop", "--write"] + options, in: fixtures.folder)
    #expect(outcome.status == 0)
    #expect(
      outcome.output
        == "wrote Shop/List.swift\n3 places in 1 file rewritten; nothing left for a person\n"
    )
    let missing = try Command.run("port", "Shop", "--exclude", "Shop/Vews", in: fixtures.folder)
    #expect(missing.status == 2)
    #expect(missing.errors == "coredata: Shop/Vews: there is no file or folder at this path\n")
  }

  @Test("paths and files that cannot be read have exit code 2")
  func unreadable() throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    let missing = try Command.run("port", "Shp", in: fixtures.folder)
    #expect(missing.status == 2)
    #expect(missing.errors == "coredata: Shp: there is no file or folder at this path\n")
    let empty = try Command.run("port", "Shop/Shop.xcdatamodeld", in: fixtures.folder)
    #expect(empty.status == 2 && empty.errors.contains("there are no Swift sources"))
    try Data([0x2F, 0x2F, 0xFF, 0x0A]).write(
      to: fixtures.folder.appendingPathComponent("Shop/Latin.swift")
    )
    let latin = try Command.run("port", "Shop", "--write", in: fixtures.folder)
    #expect(latin.status == 2)
    #expect(latin.errors == "coredata: Shop/Latin.swift: the file is not UTF-8 text\n")
    #expect(try read("Shop/List.swift", in: fixtures) == Self.ported)
    #expect(try Command.run("port", "Shop", "--write", "--diff").status == 64)
  }

  @Test("a model that cannot be read is reported, and its classes are unknown")
  func brokenModel() throws {
    let fixtures = try project()
    defer { fixtures.remove() }
    try Self.write(
      "Shop/Shop.xcdatamodeld/Shop.xcdatamodel/contents",
      "<model><entity",
      in: fixtures
    )
    let outcome = try Command.run("port", "Shop", in: fixtures.folder)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasPrefix("coredata: Shop/Shop.xcdatamodeld: the model cannot be read: ")
    )
    #expect(outcome.output.contains("#keyPath(Item.title): write the key path as a string"))
  }
}
