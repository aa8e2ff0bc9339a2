// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataPort

struct KeyPathRuleTests {
  private static let classes = """
    class Item: NSManagedObject {
      @NSManaged var title: String?
      @NSManaged var order: Order?
      @NSManaged var orders: NSSet?
      @NSManaged var tags: Set<Tag>
      @objc(ident) @NSManaged var number: Int32
      @objc dynamic var shownTitle: String { title ?? "" }
      static var shared: Item?
    }
    class Order: Item { @NSManaged public var `default`: Bool }
    enum Shop { class Tag: NSManagedObject { @NSManaged var name: String } }
    """
  private static let model = """
    <entity name="Item" representedClassName="Item">
      <relationship name="orders" optional="YES" toMany="YES" destinationEntity="Order"/></entity>
    <entity name="Order" representedClassName=".Order" parentEntity="Item"/>
    <entity name="Customer" representedClassName="Customer" codeGenerationType="class">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="item" optional="YES" maxCount="1" destinationEntity="Item"/></entity>
    """

  @Test(arguments: [
    ("Item.title", "title"),
    ("Item.order.title", "order.title"),
    ("Item . order\n  .order", "order.order"),
    ("Order.default", "default"),
    ("Order.`default`", "default"),
    ("Order.title", "title"),
    ("Item.tags.name", "tags.name"),
    ("Shop.Tag.name", "name"),
    ("Tag.name", "name"),
    ("App.Item.title", "title"),
    ("Item.number", "ident"),
    ("Item.shownTitle", "shownTitle"),
    ("Item.isDeleted", "deleted"),
    ("Item.orders.default", "orders.default"),
    ("Customer.item.order.title", "item.order.title"),
  ])
  func aKeyPathOfKnownClassesBecomesItsText(path: String, expected: String) throws {
    let text = "let a = [#keyPath(\(path)): 1] // #keyPath(\(path))"
    let ported = try Porting.text(text, beside: [Self.classes], entities: Self.model)
    #expect(ported == "let a = [\"\(expected)\": 1] // #keyPath(\(path))")
  }

  @Test(arguments: [
    ("Item.nope", "Item has no property nope in the sources or models"),
    ("Item.shared", "Item has no property shared in the sources or models"),
    ("UIView.isHidden", "neither the sources nor the models have a class UIView"),
    ("title", "neither the sources nor the models have a class title"),
    ("Item.title.count", "neither the sources nor the models have the class of Item.title"),
  ])
  func anUnknownKeyPathIsLeft(path: String, reason: String) throws {
    let left = try Porting.left(
      "let a = #keyPath(\(path))",
      beside: [Self.classes],
      entities: Self.model
    )
    #expect(left == ["1:9 #keyPath(\(path)): write the key path as a string; \(reason)"])
  }

  @Test func aKeyPathWithoutClassIsOneOfTheEnclosingClass() throws {
    let text = """
      class Cart: Item {
        @NSManaged var total: Double
        static let keys = [#keyPath(total), #keyPath(order.title)]
      }
      extension Item { func a() -> String { #keyPath(title) } }
      """
    let ported = try Porting.text(text, beside: [Self.classes])
    #expect(ported.contains("[\"total\", \"order.title\"]"))
    #expect(ported.contains("{ \"title\" }"))
  }

  /// Code in an interpolation is code, in strings of all kinds and in strings in interpolations.
  @Test(arguments: [
    (##""\(#keyPath(Item.title)) ASC""##, ##""\("title") ASC""##),
    (
      ##"#"\(#keyPath(Item.title)) \#(#keyPath(Item.title))"#"##,
      ##"#"\(#keyPath(Item.title)) \#("title")"#"##
    ),
    (##""\(a + "\(#keyPath(Item.title))" + b)""##, ##""\(a + "\("title")" + b)""##),
    (
      "\"\"\"\n  #keyPath(Item.title) \\(#keyPath(Item.title))\n  \"\"\"",
      "\"\"\"\n  #keyPath(Item.title) \\(\"title\")\n  \"\"\""
    ),
    ("\"\\\\(#keyPath(Item.title))\"", "\"\\\\(#keyPath(Item.title))\""),
  ])
  func interpolationsAreCode(text: String, expected: String) throws {
    #expect(try Porting.text("let a = " + text, beside: [Self.classes]) == "let a = " + expected)
  }

  @Test func aCommentInAKeyPathIsNotLost() throws {
    let text = "let a = #keyPath(Item /* b */.title)"
    #expect(try Porting.text(text, beside: [Self.classes]) == text)
    #expect(
      try Porting.left(text, beside: [Self.classes])
        == [
          "1:9 #keyPath(Item.title) → \"title\": change the code by hand, because the automatic "
            + "change would remove a comment"
        ]
    )
  }
}
