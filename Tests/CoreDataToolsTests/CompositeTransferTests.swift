// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

@Suite("Composite attributes in files of records")
struct CompositeTransferTests {
  private static let xml = """
    <model>
      <entity name="Item">
        <attribute name="name" attributeType="String"/>
        <attribute name="place" attributeType="Composite" composite="Place"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/>
        </uniquenessConstraint></uniquenessConstraints>
      </entity>
      <composite name="Place">
        <attribute name="lat" optional="YES" attributeType="Double"/>
        <attribute name="seen" optional="YES" attributeType="Date"/>
        <attribute name="isHome" optional="YES" attributeType="Boolean"/>
        <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
      </composite>
      <composite name="Address">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="floors" optional="YES" attributeType="Integer 32"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="id" optional="YES" attributeType="UUID"/>
        <attribute name="page" optional="YES" attributeType="URI"/>
        <attribute name="photo" optional="YES" attributeType="Binary"/>
        <attribute name="tags" optional="YES" attributeType="Transformable"/>
      </composite>
    </model>
    """

  private static let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

  /// Three items: with every element, with two, and one that breaks its rule by having none.
  private func filled() throws -> Library {
    let library = try Library(model: Self.xml)
    let opened = try OpenedStore(
      URL(fileURLWithPath: library.path),
      loaded: library.loaded,
      isWritable: true
    )
    defer { opened.rows.close() }
    let address: [String: Any] = [
      "city": "Ulm, \"old\"", "floors": 3, "price": NSDecimalNumber(string: "12.50"),
      "id": UUID(uuidString: Self.uuid) ?? UUID(),
      "page": URL(fileURLWithPath: "/a"), "photo": Data([0, 255]), "tags": ["x", "y"],
    ]
    let seen = Date(timeIntervalSinceReferenceDate: 700_000_000.123456)
    let context = opened.newContext()
    try context.performAndWait {
      let places: [(String, [String: Any])] = [
        ("all", ["lat": 48.4, "seen": seen, "isHome": true, "address": address]),
        ("some", ["lat": -0.5, "address": ["city": ""]]),
      ]
      for (name, location) in places {
        let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
        item.setValue(name, forKey: "name")
        item.setValue(location, forKey: "place")
      }
      try context.save()
    }
    return library
  }

  /// The records of a store as text, and each row's columns as SQLite has them.
  private func contents(
    of library: Library,
    _ store: String,
    _ format: OutputFormat
  ) throws -> (text: String, rows: [[Binding]]) {
    let url = library.folder.appendingPathComponent(store)
    let opened = try OpenedStore(url, loaded: library.loaded, isWritable: false)
    defer { opened.rows.close() }
    let exporter = Exporter(
      opened,
      keys: try NaturalKeys(opened.model),
      dividesComposites: format == .csv
    )
    var text = ""
    var writer: RowWriter?
    for entity in exporter.order(nil) {
      let columns = exporter.columns(of: entity, namesEntity: format != .csv)
      writer = RowWriter(format, columns: columns, width: nil, options: .init(writesData: true)) {
        text += $0
      }
      try exporter.forEach(entity, namesEntity: format != .csv) { writer?.write($0) }
      writer?.finish()
    }
    let rows = try StoreFile(path: url.path, access: .untouched).rows(
      "SELECT ZNAME, ZPLACE_LAT, ZPLACE_SEEN, ZPLACE_ISHOME, ZPLACE_ADDRESS_CITY, "
        + "ZPLACE_ADDRESS_FLOORS, ZPLACE_ADDRESS_PRICE, ZPLACE_ADDRESS_ID, ZPLACE_ADDRESS_PAGE, "
        + "ZPLACE_ADDRESS_PHOTO, ZPLACE_ADDRESS_TAGS FROM ZITEM ORDER BY ZNAME"
    )
    return (text, rows)
  }

  @Test(
    "What is exported comes back byte for byte, and a second import changes nothing",
    arguments: [OutputFormat.json, .ndjson, .csv]
  )
  func roundTrip(_ format: OutputFormat) throws {
    let library = try filled()
    defer { library.remove() }
    let (text, rows) = try contents(of: library, "Library.sqlite", format)
    #expect(rows.count == 2 && rows[0].allSatisfy { $0 != .null })
    if format == .csv {
      #expect(text.hasPrefix("name,place.lat,place.seen,place.isHome,place.address.city,"))
      #expect(text.contains("some,-0.5,,,\"\",,,,,,\n"))
    } else {
      #expect(text.contains(#""name":"some","place":{"address":{"city":""},"lat":-0.5}"#))
      #expect(text.contains(#""price":"12.5","#) && text.contains(#""photo":"AP8=""#))
    }
    let name = "in.\(format == .json ? "json" : format == .csv ? "csv" : "ndjson")"
    let first = try imported(text, as: name, entity: "Item", to: "Copy.sqlite", of: library)
    #expect(first.inserted == 2)
    let copy = try contents(of: library, "Copy.sqlite", format)
    #expect(copy.rows == rows)
    #expect(copy.text == text)
    let second = try imported(text, as: name, entity: "Item", to: "Copy.sqlite", of: library)
    #expect(second.unchanged == 2 && second.updated == 0 && second.inserted == 0)
  }

  @Test("A composite is set as a whole: what a record does not name is nil")
  func whole() throws {
    let library = try filled()
    defer { library.remove() }
    let text = """
      {"name": "all", "place": {"lat": "7"}}
      {"name": "some", "place.address.floors": 2, "place.isHome": "yes"}
      {"name": "new", "place": {"address": {"id": null, "city": "Bonn"}}}
      """
    let report = try imported(text, entity: "Item", to: "Library.sqlite", of: library)
    #expect(report.updated == 2 && report.inserted == 1)
    let rows = try contents(of: library, "Library.sqlite", .json).rows
    let none = Binding.null
    #expect(
      rows == [
        [.text("all"), .double(7), none, none, none, none, none, none, none, none, none],
        [.text("new"), none, none, none, .text("Bonn"), none, none, none, none, none, none],
        [.text("some"), none, none, .integer(1), none, .integer(2), none, none, none, none, none],
      ]
    )
  }

  @Test(
    "A value that does not fit is an error that names file, line and element",
    arguments: [
      (
        #"{"name":"a","place":{"lat":"north"}}"#,
        "Item.place.lat: “north” is not a value of type Double"
      ),
      (#"{"name":"a","place":{"address":{"floors":1e9999}}}"#, "Item.place.address.floors: "),
      (
        #"{"name":"a","place":{"address":{"town":"x"}}}"#,
        "Item.place.address has no element “town”"
      ),
      (
        #"{"name":"a","place":{"address":"Ulm"}}"#,
        "Item.place.address: a composite attribute needs a JSON object, not “Ulm”"
      ),
      (#"{"name":"a","place":7}"#, "Item.place: a composite attribute needs a JSON object, not 7"),
      (
        #"{"name":"a","place":[]}"#,
        "Item.place: a composite attribute needs a JSON object, not []"
      ),
      (
        #"{"name":"a","place":{},"place.lat":1}"#,
        "Item.place is given both as a whole and by its elements"
      ),
      (
        #"{"name":"a","place.lat":1,"place.lat.x":1}"#,
        "Item.place.lat is given both as a whole and by its elements"
      ),
      (#"{"name":"a","place.lat.x":1}"#, #"Item.place.lat: {"x":1} is not a value of type Double"#),
      (#"{"name":"a","place.town":1}"#, "Item.place has no element “town”"),
      (
        #"{"name":"a","\#(String(repeating: "place.", count: 100_000))":1}"#,
        "Item has no property “place."
      ),
    ]
  )
  func broken(_ text: String, _ expected: String) throws {
    let library = try filled()
    defer { library.remove() }
    let error = #expect(throws: ToolError.self) {
      try imported("\n" + text, entity: "Item", to: "Library.sqlite", of: library)
    }
    let message = error?.message.replacingOccurrences(of: "\"north\"", with: "“north”")
      .replacingOccurrences(of: "\"Ulm\"", with: "“Ulm”")
    #expect(message?.hasPrefix("in.ndjson:2: \(expected)") == true, "\(message ?? "")")
  }

  @Test("Unknown elements are passed over when asked to")
  func unknown() throws {
    let library = try filled()
    defer { library.remove() }
    let text = #"{"name":"b","place":{"lat":1,"town":"x","address":{"zip":1}},"place2":1}"#
    let report = try imported(
      text,
      entity: "Item",
      to: "Library.sqlite",
      of: library,
      ignoresUnknown: true
    )
    #expect(report.inserted == 1)
  }

  @Test("They are shown as dictionaries, and a mandatory one without a value is found")
  func shown() throws {
    let library = try filled()
    defer { library.remove() }
    let opened = try OpenedStore(
      URL(fileURLWithPath: library.path),
      loaded: library.loaded,
      isWritable: false
    )
    let context = opened.newContext()
    let columns = ObjectColumns(of: try opened.entity(named: "Item"))
    var rows: [[Value]] = []
    try context.performAndWait {
      let query = ObjectQuery(entity: "Item")
      try ObjectReader(opened, context, columns).forEach(query.ids(in: context, of: opened)) {
        rows.append($0)
      }
    }
    let shown = rows.last?.last.map { JSONText.value($0) }
    #expect(shown == #"{"address":{"city":""},"lat":-0.5}"#)
    opened.rows.close()
    #expect(try library.examine().map(\.text) == [])
    try library.plant(
      "UPDATE ZITEM SET ZPLACE_LAT = NULL, ZPLACE_ADDRESS_CITY = NULL WHERE ZNAME = 'some'"
    )
    #expect(try library.examine().map(\.location) == ["Item.place"])
  }
}
