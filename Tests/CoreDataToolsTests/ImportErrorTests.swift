// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

struct ImportErrorTests {
  @Test(arguments: [
    (#"{"$entity":"Book","isbn":1,"titel":"x"}"#, "Book has no property “titel”"),
    (
      #"{"$entity":"Book","isbn":"a","title":"x","pages":"many"}"#,
      "“many” is not a value of type Integer 32"
    ),
    (#"{"$entity":"Bok","isbn":"a"}"#, "there is no entity “Bok”"),
    (#"{"isbn":"a"}"#, "does not name its entity"),
    (#"{"$entity":"Person","name":"a"}"#, "Person is abstract"),
    (#"{"$entity":"Book","isbn":"a","title":"x","author":"Zoe"}"#, "refers to Author \"Zoe\""),
    (#"{"$entity":"Book","isbn":"a" "title":"x"}"#, "expected a comma or }"),
    (#"["#, "the file ends inside a value"),
    (#"7"#, "a record must be a JSON object"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":-inf}"#, "“-inf” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":-nan}"#, "“-nan” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":01}"#, "“01” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":-01}"#, "“-01” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":+1}"#, "“+1” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":0x10}"#, "“0x10” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":1.}"#, "“1.” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":1e}"#, "“1e” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"a","title":"x","pages":٣}"#, "“٣” is not a JSON value"),
    (#"{"$entity":"Book","isbn":"\u+041","title":"x"}"#, "four hexadecimal digits"),
  ])
  func whatIsWrongIsNamedWithFileAndLine(_ record: String, _ message: String) throws {
    let library = try Library()
    defer { library.remove() }
    let error = #expect(throws: ToolError.self) {
      try imported("\n" + record, to: "Library.sqlite", of: library)
    }
    let text = (error?.description ?? "").replacingOccurrences(of: "\"many\"", with: "“many”")
    #expect(text.contains(message), "\(text)")
    #expect(text.contains("in.ndjson:"))
  }

  @Test("Arrays of entities need a comma between them; one after the last is allowed")
  func commaBetweenEntities() throws {
    let library = try Library()
    defer { library.remove() }
    func report(_ text: String) throws -> ImportReport {
      try imported(text, as: "in.json", to: "Library.sqlite", of: library)
    }
    let tags = #""Tag": [{"label": "a"}]"#
    let readers = #""Reader": [{"name": "Zoe"}]"#
    let error = #expect(throws: ToolError.self) { try report("{\(tags)\n \(readers)}") }
    let text = error?.description ?? ""
    #expect(text.contains("in.json:2: expected a comma or }"), "\(text)")
    #expect(try report("{\(tags), \(readers),}").inserted == 2)
  }

  @Test("Numbers that JSON allows are read")
  func numbers() throws {
    let library = try Library()
    defer { library.remove() }
    for (number, text) in [("-0", "0"), ("1.5e1", "15"), ("1E+1", "10"), ("0", "0"), ("0.0", "0")] {
      _ = try imported(
        #"{"$entity":"Book","isbn":"Ann-1","pages":\#(number)}"#,
        to: "Library.sqlite",
        of: library
      )
      #expect(
        try library.rows("SELECT CAST(ZPAGES AS TEXT) FROM ZBOOK WHERE ZISBN = 'Ann-1'")
          == [[.text(text)]],
        "\(number)"
      )
    }
  }

  @Test("A store whose model cache cannot be read is not written to, and the error says so")
  func damagedModelCache() throws {
    let library = try Library()
    defer { library.remove() }
    try library.plant("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'")
    let url = URL(fileURLWithPath: library.path)
    let error = #expect(throws: ToolError.self) {
      try OpenedStore(url, model: nil, isWritable: true)
    }
    #expect(error?.message.contains("the model cache of the store cannot be read (") == true)
  }

  @Test("A name that several entities have in another case is ambiguous")
  func ambiguousEntity() throws {
    let library = try Library(model: #"<model><entity name="Tag"/><entity name="TAG"/></model>"#)
    defer { library.remove() }
    let error = #expect(throws: ToolError.self) {
      try library.loaded.definition.entity(namedOrSuggested: "tag")
    }
    #expect(error?.message.hasSuffix("several names differ from it only in case: TAG, Tag") == true)
  }

  @Test("Each reason why an attribute cannot be part of a natural key has its own text")
  func unusableKeys() throws {
    let library = try Library(model: Library.xml)
    defer { library.remove() }
    for (key, reason) in [
      ("Book:tags", "Book.tags is not an attribute"),
      ("Book:cover", "Book.cover is of type Binary"),
      ("Book", "“Book” is not a natural key"),
    ] {
      let error = #expect(throws: ToolError.self) {
        try NaturalKeys(library.loaded.definition, given: [key])
      }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }

  @Test func aMissingMandatoryValueIsRefusedByTheModelsRules() throws {
    let library = try Library()
    defer { library.remove() }
    let error = #expect(throws: ToolError.self) {
      try imported(
        #"{"$entity":"Book","isbn":"a"}"#,
        to: "Library.sqlite",
        of: library
      )
    }
    #expect(error?.message.contains("title") == true)
  }

  @Test(arguments: [
    ("Tag.csv", "label,label\nx,y\n", ":1: two columns have the name “label”"),
    (
      "Tag.csv", "label\rred\r\"x",
      ":3: the quoted field that begins on this line is not terminated"
    ),
    ("in.json", #"[{"$entity":"Tag","label":"x"}] y"#, ":1: there is content after the end"),
    ("in.json", "{\"Tag\":[{\"label\":\"x\"}]}\n{}", ":2: there is content after the end"),
    (
      "in.json", #"[{"$entity":5,"label":"x"}]"#,
      ":1: the value of “$entity” must be a string, not 5"
    ),
    (
      "in.json", #"[{"$entity":"Tag","$id":1.5}]"#,
      ":1: the value of “$id” must be a string or an integer"
    ),
    ("in.json", "[\n\"x\n\n", ":2: the string that begins on this line is not terminated"),
    ("in.json", #"[{"label":"\x"}]"#, #":1: the escape sequence \x in a string"#),
    ("in.json", #"[{"label":"\u12G4"}]"#, #":1: \u in a string must be followed by four"#),
    ("Tag.csv", "\n\nlabel\nx,y", ":4: the record has 2 fields, but the file has 1 column"),
    ("Book.csv", "isbn,title,tags\nx,y,[", ":2: Book.tags:1: the text ends inside a value"),
    (
      "in.json", #"[{"$entity":"Person","name":"x"}]"#,
      ":1: Person is abstract and cannot have objects"
    ),
    ("in.json", #"[{"$entity":"Author","name":"x","born":"2023-02-29"}]"#, ":1: Author.born: "),
    (
      "in.json", #"[{"$entity":"Author","name":"x","born":"2024-04-31T00:00:00Z"}]"#,
      ":1: Author.born: "
    ),
  ])
  func filesThatSaySomethingElseAreErrors(_ name: String, _ text: String, _ expected: String) throws
  {
    let library = try Library()
    defer { library.remove() }
    let error = #expect(throws: ToolError.self) {
      try imported(text, as: name, to: "Library.sqlite", of: library)
    }
    #expect(error?.message.hasPrefix(name + expected) == true, "\(error?.message ?? "")")
    let day = #"{"$entity":"Author","name":"x","born":"2024-02-29"}"#
    #expect(try imported(day, to: "Library.sqlite", of: library).inserted == 1)
  }
}
