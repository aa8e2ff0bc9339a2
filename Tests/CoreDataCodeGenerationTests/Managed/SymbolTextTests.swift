// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataCodeGeneration

struct SymbolTextTests {
  @Test(arguments: [("größe", "gre_GkaIi"), ("名前", "ldrIFb")])
  func namesOutsideASCIIAreEncoded(name: String, expected: String) {
    #expect(Punycode.encode(name) == expected)
  }

  @Test func theDiscriminatorOfPrivateMembersIsTheDigestOfModuleAndFile() {
    #expect(
      SourceDiscriminator.text(module: "Mod", fileName: "a.swift")
        == "_746359BB2A0F008DFE241DDA14F71218"
    )
  }

  @Test(
    arguments: [
      ("addToItems", [nil], nil, CollectionAccessor.Operation.add, "items"),
      ("removeFromItems", ["at"], nil, .removeAt, "items"),
      ("insertIntoItems", [nil, "at"], nil, .insert, "items"),
      ("replaceItems", ["at", "with"], nil, .replace, "items"),
      ("addItemsObject", [nil], nil, .add, "items"),
      ("append", [nil], "addItemsObject:", .add, "items"),
      ("removeItems", [nil], "removeItems:", .remove, "items"),
      ("take", ["index"], "removeObjectFromItemsAtIndex:", .removeAt, "items"),
      ("put", [nil, "index"], "insertObject:inItemsAtIndex:", .insert, "items"),
    ] as [(String, [String?], String?, CollectionAccessor.Operation, String)]
  )
  func functionsOfToManysAreRecognised(
    name: String,
    labels: [String?],
    selector: String?,
    operation: CollectionAccessor.Operation,
    key: String
  ) {
    let accessor = CollectionAccessor(name: name, labels: labels, selector: selector)
    #expect(accessor?.operation == operation)
    #expect(accessor?.key == key)
  }
}
