// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

struct RelationshipTextTests {
  private static func text(_ relationship: String) throws -> String {
    try Generated.text(
      """
      <entity name="Dog" representedClassName="Dog" codeGenerationType="class">\(relationship)</entity>
      <entity name="Walk" representedClassName=".Walk"/>
      <entity name="Note"/>
      """
    )
  }

  /// The functions of the text, without access level and body.
  private static func functions(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      line.hasPrefix("  public func ")
        ? String(line.dropFirst("  public func ".count).dropLast(" {".count)) : nil
    }
  }

  @Test func aToOneIsAnOptionalObjectOfTheDestinationsClass() throws {
    let text = try Self.text(
      #"<relationship name="walk" maxCount="1" destinationEntity="Walk"/>"#
    )
    #expect(
      Generated.declaration("public var walk", in: text) == """
        public var walk: Walk? {
          get { _readReference(0, "walk") }
          set { _writeReference(newValue, 0, "walk") }
        }
        """
    )
    #expect(Self.functions(text).isEmpty)
  }

  @Test func aToManyIsASetWithFourFunctions() throws {
    let text = try Self.text(
      #"<relationship name="walks" toMany="YES" destinationEntity="Walk"/>"#
    )
    #expect(text.contains("public var walks: NSSet? {"))
    #expect(text.contains(#"get { _readSet(0, "walks") }"#))
    #expect(
      Self.functions(text) == [
        "addToWalks(_ value: Walk)", "removeFromWalks(_ value: Walk)",
        "addToWalks(_ values: NSSet)", "removeFromWalks(_ values: NSSet)",
      ]
    )
    #expect(text.contains(#"_add(value, 0, "walks")"#))
    #expect(text.contains(#"_remove(values, 0, "walks")"#))
  }

  @Test func anOrderedToManyIsAnOrderedSetWithTenFunctions() throws {
    let text = try Self.text(
      #"<relationship name="walks" toMany="YES" ordered="YES" destinationEntity="Walk"/>"#
    )
    #expect(text.contains("public var walks: NSOrderedSet? {"))
    #expect(text.contains(#"set { _writeOrderedSet(newValue, 0, "walks") }"#))
    #expect(
      Self.functions(text) == [
        "insertIntoWalks(_ value: Walk, at idx: Int)", "removeFromWalks(at idx: Int)",
        "insertIntoWalks(_ values: [Walk], at indexes: NSIndexSet)",
        "removeFromWalks(at indexes: NSIndexSet)",
        "replaceWalks(at idx: Int, with value: Walk)",
        "replaceWalks(at indexes: NSIndexSet, with values: [Walk])",
        "addToWalks(_ value: Walk)", "removeFromWalks(_ value: Walk)",
        "addToWalks(_ values: NSOrderedSet)", "removeFromWalks(_ values: NSOrderedSet)",
      ]
    )
    #expect(text.contains(#"_replace(at: indexes, with: values, 0, "walks")"#))
  }

  @Test func aDestinationWithoutAClassIsAManagedObject() throws {
    let text = try Self.text(
      """
      <relationship name="note" maxCount="1" destinationEntity="Note"/>
      <relationship name="notes" toMany="YES" destinationEntity="Note"/>
      """
    )
    #expect(text.contains("public var note: NSManagedObject? {"))
    #expect(text.contains("public func addToNotes(_ value: NSManagedObject) {"))
  }

  @Test func aFetchedPropertyIsReadOnlyAndAskedByKey() throws {
    let text = try Self.text(
      """
      <fetchedProperty name="recent">
        <fetchRequest name="fetchedPropertyFetchRequest" entity="Walk"/>
      </fetchedProperty>
      """
    )
    #expect(
      Generated.declaration("public var recent", in: text) == """
        public var recent: [Walk]? {
          value(forKey: "recent") as? [Walk]
        }
        """
    )
  }
}
