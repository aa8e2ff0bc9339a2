// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataCodeGeneration

/// What the build says about declarations that cannot work, by file, line and property.
struct ManagedProblemTests {
  private static let model = """
    <entity name="Item" representedClassName="Item">
      <attribute name="title" optional="YES" attributeType="String"/>
      <attribute name="amount" attributeType="Integer 32" usesScalarValueType="YES"/>
      <relationship name="orders" optional="YES" toMany="YES" destinationEntity="Order" inverseName="item" inverseEntity="Order"/>
      <relationship name="steps" optional="YES" toMany="YES" ordered="YES" destinationEntity="Order"/>
    </entity>
    <entity name="Order" representedClassName="Order" codeGenerationType="class">
      <relationship name="item" optional="YES" maxCount="1" destinationEntity="Item" inverseName="orders" inverseEntity="Item"/>
    </entity>
    """

  private func item(_ member: String) -> String {
    "import CoreData\nclass Item: NSManagedObject {\n  \(member)\n}\n"
  }

  @Test(arguments: [
    ("@NSManaged var title: String?", ""),
    ("@NSManaged var amount: Int32", ""),
    ("@NSManaged var amount: NSNumber?", ""),
    ("@NSManaged var orders: Set<Order>", ""),
    ("@NSManaged var steps: NSOrderedSet?", ""),
    ("@NSManaged var primitiveTitle: String?", ""),
    ("@NSManaged func addToOrders(_ value: Order)", ""),
    (
      "@NSManaged var title: Int32",
      "Item.swift:3: warning: Item.title: the declared type does not match the model: “title” of the entity Item is String (String?). Reading or setting the property stops the program, as in Apple's framework; declare it as String?, or change the model"
    ),
    (
      "@NSManaged var amount: Int16",
      "Item.swift:3: warning: Item.amount: Apple's framework does not convert “amount” of the entity Item to Int16; write Int32"
    ),
    (
      "@NSManaged var orders: String?",
      "Item.swift:3: warning: Item.orders: the declared type does not match the model: “orders” of the entity Item is a to-many relationship (NSSet?). Reading or setting the property stops the program, as in Apple's framework; declare it as NSSet?, or change the model"
    ),
    (
      "@NSManaged var steps: NSSet?",
      "Item.swift:3: warning: Item.steps: “steps” of the entity Item is ordered; declare it as NSOrderedSet, not NSSet"
    ),
    (
      "@NSManaged var orders: Set<Item>",
      "Item.swift:3: warning: Item.orders: the destination of “orders” of the entity Item is Order, whose class is Order, not Item; declare the property with Order, or change the destination in the model"
    ),
    (
      "@NSManaged var nmae: String?",
      "Item.swift:3: warning: Item.nmae: the entity Item has no property “nmae”, so reading or setting it stops the program; add it to the model, or remove @NSManaged"
    ),
    (
      "@NSManaged func addToLines(_ value: Order)",
      "Item.swift:3: warning: Item.addToLines: the entity Item has no property “lines”, so calling the function stops the program; add the relationship to the model, or remove the function"
    ),
    (
      "@NSManaged func addToTitle(_ value: Order)",
      "Item.swift:3: warning: Item.addToTitle: “title” of the entity Item is not a to-many relationship, so calling the function stops the program; remove the function, or change the model"
    ),
    (
      "@NSManaged func reload()",
      "Item.swift:3: error: Item.reload: Core Data supplies no function of this form; it supplies addTo…, removeFrom…, insertInto… and replace… for a to-many relationship"
    ),
    (
      "@NSManaged var title: Colour?",
      "Item.swift:3: error: Item.title: no accessor can be generated: “Colour” is not found. Write the type with its module, declare it in a module that is built from sources, or write the accessor with value(forKey:) and setValue(_:forKey:)"
    ),
    (
      "@NSManaged var title: (Int, Int)",
      "Item.swift:3: error: Item.title: no accessor can be generated: a tuple is not supported. Write the type with its module, declare it in a module that is built from sources, or write the accessor with value(forKey:) and setValue(_:forKey:)"
    ),
    (
      "@NSManaged var title",
      "Item.swift:3: error: Item.title: the type of an @NSManaged property must be written"
    ),
    (
      "func f() { class Local: NSManagedObject { @NSManaged var a: Int16 } }",
      "Item.swift:3: error: no accessors can be generated for a class in a function; declare the class outside the function"
    ),
  ])
  func aMemberIsComparedWithTheModel(member: String, problem: String) throws {
    let problems = try Accessors.problems(item(member), entities: Self.model)
    #expect(problems == (problem.isEmpty ? [] : [problem]))
  }

  @Test(arguments: [
    (
      "class Other: NSManagedObject { @NSManaged var a: Int16 }",
      "Item.swift:2: warning: Other: no entity of the target's models has this class, so objects of it cannot be created; set it as the class of an entity"
    ),
    (
      "class Order: NSManagedObject { @NSManaged var item: Item? }\nclass Item: NSManagedObject {}",
      "Item.swift:2: error: Order: the class is also generated from the model, for the entity Order; set Codegen of the entity to Manual/None, or delete the class"
    ),
    (
      "private class Item: NSManagedObject { @NSManaged var title: String? }",
      "Item.swift:2: error: Item: no accessors can be generated for “title”: Item is private, and accessors are in another file; make the class internal"
    ),
    (
      "class Item<T>: NSManagedObject { @NSManaged var title: String? }",
      "Item.swift:2: error: Item: no accessors can be generated for “title”: Item is generic; write the accessors with value(forKey:) and setValue(_:forKey:)"
    ),
    (
      "class Item { @NSManaged var title: String? }",
      "Item.swift:2: error: Item: no accessors can be generated for “title”: Item is not known to be a subclass of NSManagedObject; declare its superclass in a module that is built from sources"
    ),
    (
      "enum A { class Item: NSManagedObject {@NSManaged var title: String?} }\nenum B {\n  class Item: NSManagedObject {@NSManaged var title: String?} }",
      "Item.swift:4: error: B.Item: the class name “Item” of the entity Item is ambiguous, because two classes have it: A.Item (Item.swift, line 2) and B.Item; rename one of these classes, and set the class of the entity to the intended class"
    ),
    (
      "class Item: NSManagedObject { @NSManaged var title: String? }\n@objc(Item) class Other: NSManagedObject { @NSManaged var amount: Int32 }",
      "Item.swift:3: error: Other: the class name “Item” of the entity Item is ambiguous, because two classes have it: Item (Item.swift, line 2) and Other; rename one of these classes, and set the class of the entity to the intended class"
    ),
  ])
  func aClassIsComparedWithTheModel(source: String, problem: String) throws {
    let problems = try Accessors.problems("import CoreData\n" + source, entities: Self.model)
    #expect(problems.contains { $0.hasSuffix(problem) }, "\(problems)")
  }

  /// What the scanner says is a warning, so that the compiler runs and reports its errors; so is what else is
  /// found in such a file.
  @Test(arguments: [
    (
      "class Item: NSManagedObject {\n  @NSManaged var title: String?\n", 2,
      "the “{” of Item is not closed"
    ),
    (
      "class Item: NSManagedObject {\n  func f() {\n    @NSManaged var title: Colour\n}\n", 2,
      "the “{” of Item is not closed"
    ),
    (
      "class Item: NSManagedObject {\n  @NSManaged var title: String?\n}\n}\n", 5,
      "this “}” closes nothing"
    ),
    (
      "class Item: NSManagedObject {\n  @NSManaged var title: String?\n  let a = \"b\n}\n", 4,
      "a string or comment that begins here does not end"
    ),
    (
      "/* class Item: NSManagedObject {\n  @NSManaged var title: String?\n}\n", 2,
      "a string or comment that begins here does not end"
    ),
    (
      "class Item: NSManagedObject {\n  @NSManaged var title: Colour?\n  let a = [(1, 2)\n", 4,
      "this “[” is not closed"
    ),
    ("@NSManaged\nclass Item: NSManagedObject", 3, "class Item has no body"),
  ])
  func aSourceThatDoesNotParseIsLeftToTheCompiler(source: String, line: Int, reason: String) throws
  {
    let problems = try Accessors.problems("import CoreData\n" + source, entities: Self.model)
    let expected =
      "Item.swift:\(line): warning: \(reason), so accessors of @NSManaged members in this file may be missing; "
      + "correct the syntax error, which the compiler also reports"
    #expect(problems.contains(expected), "\(problems)")
    #expect(problems.allSatisfy { $0.contains(": warning: ") }, "\(problems)")
  }

  @Test func propertiesThatTheModelGeneratesHaveKeysAndCannotBeWrittenByHand() throws {
    let model = """
      <entity name="Item" representedClassName="Item" codeGenerationType="category">
        <attribute name="title" optional="YES" attributeType="String"/>
      </entity>
      """
    let source = "import CoreData\nclass Item: NSManagedObject {}"
    #expect(
      try Accessors.output(source, entities: model).text.contains("names[\\Item.title] = \"title\"")
    )
    #expect(
      try Accessors.problems(item("@NSManaged var title: String?"), entities: model) == [
        "Item.swift:3: error: Item.title: the property is also generated from the model, for the entity Item; set Codegen of the entity to Manual/None, or delete the property"
      ]
    )
  }

  @Test func aTypeOfAnotherModuleOfThePackageIsFound() throws {
    let source =
      "import CoreData\nimport Prices\nclass Item: NSManagedObject { @NSManaged var p: Price? }"
    let output = try Accessors.output(source, dependency: "public final class Price: NSObject {}")
    #expect(output.problems.isEmpty)
    #expect(
      Accessors.symbols(in: output.text) == [
        "$s4Shop4ItemC1p6Prices5PriceCSgvg", "$s4Shop4ItemC1p6Prices5PriceCSgvs",
      ]
    )
    #expect(output.text.contains("import Prices"))
  }

  @Test func aSourceWithoutManagedMembersGetsNoCode() throws {
    let output = try Accessors.output("import CoreData\nclass View { var a = 1 }")
    #expect(!output.text.contains("import"))
    #expect(output.problems.isEmpty)
  }

  /// The compiler warns about a public import that no public declaration needs.
  @Test(arguments: [
    ("public var a: String?", false), ("public var a: Set<Item>", false),
    ("public var a: Date?", true),
    ("public var a: NSSet?", true), ("public var a: NSManagedObject?", true),
    ("var a: Date?", false),
  ])
  func aPublicImportNeedsASignatureWithATypeOfTheLibrary(_ member: String, _ isPublic: Bool) throws
  {
    let output = try Accessors.output(
      "import CoreData\npublic class Item: NSManagedObject { @NSManaged \(member) }"
    )
    #expect(output.text.contains("\npublic import CoreData\n") == isPublic)
    #expect(output.text.contains("\nimport CoreData\n") == !isPublic)
  }

  /// As with Apple's framework, for which the name in Objective-C is the key.
  @Test func aPropertyHasTheKeyOfItsNameInObjectiveC() throws {
    let model =
      "<entity name=\"Item\" representedClassName=\"Item\"><attribute name=\"ident\" attributeType=\"String\"/></entity>"
    let source = """
      import CoreData
      class Item: NSManagedObject {
        #if canImport(ObjectiveC)
        @objc(ident)
        #endif
        @NSManaged var number: String
      }
      """
    let output = try Accessors.output(source, entities: model)
    #expect(output.problems.isEmpty)
    #expect(output.text.contains("names[\\Item.number] = \"ident\""))
    #expect(Accessors.symbols(in: output.text).contains("$s4Shop4ItemC6numberSSvg"))
  }
}
