// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite

@Suite("The sample of a table's rows")
struct TableSampleTests {
  /// Where the large values of a table are.
  struct Shape: Sendable, CustomStringConvertible {
    let description: String
    /// The condition for the rows with a large value, with the number of the row as `I`.
    let condition: String
    /// The key of row `I`.
    var key = "I"
    var size = 57_000
    /// Whether the number of rows is passed.
    var isCounted = false
  }

  private static let shapes = [
    Shape(description: "no large values", condition: "0"),
    Shape(description: "in the first rows", condition: "I <= 1000"),
    Shape(description: "in the last rows", condition: "I > 29000"),
    Shape(description: "in every 30th row", condition: "I % 30 = 0"),
    Shape(description: "in three rows", condition: "I IN (4, 15000, 15001)", size: 20_000_000),
    Shape(
      description: "in rows with sparse keys",
      condition: "I % 30 = 0",
      key: "I * 17 + (I > 15000) * 1000000"
    ),
    Shape(
      description: "in rows with sparse keys that are counted",
      condition: "I % 30 = 0",
      key: "I * 17 + (I > 15000) * 1000000",
      isCounted: true
    ),
  ]

  private static let xml = """
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Item">
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="payload" optional="YES" attributeType="Binary"/>
      </entity>
    </model>
    """
  private static let rows = 30_000

  @Test(
    "The number of rows and bytes is estimated wherever the large values are",
    arguments: shapes
  )
  func uneven(_ shape: Shape) throws {
    let folder = try TemporaryFolder("coredata-test", for: "the test")
    defer { folder.remove() }
    let path = folder.url.appendingPathComponent("Items.sqlite").path
    let model = try ModelDefinition(ModelFile.draft(xml: Data(Self.xml.utf8), file: "Items"))
    try SQLiteStore(model: model, index: 0, options: SQLiteStoreOptions(path: path)).close()
    let file = try StoreFile(path: path, access: .readWrite)
    _ = try file.execute(
      "WITH RECURSIVE C(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM C WHERE I < \(Self.rows)) "
        + "INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT, ZNAME, ZPAYLOAD) SELECT \(shape.key), 1, 1, 'Item ' || I, "
        + "CASE WHEN \(shape.condition) THEN zeroblob(\(shape.size)) END FROM C"
    )
    let sums = try file.rows("SELECT SUM(length(ZPAYLOAD)), SUM(length(ZNAME)) FROM ZITEM")[0]
    let sample = try TableSample("ZITEM", file, count: shape.isCounted ? Self.rows : nil)
    let payload = (sample.columns["ZPAYLOAD"]?.bytes ?? 0) * sample.rows
    let truth = Double(sums[0].whole)
    let tolerance = shape.isCounted ? 0.001 : 0.1
    #expect(abs(sample.rows / Double(Self.rows) - 1) < tolerance, "\(sample.rows)")
    #expect(abs(payload - truth) <= truth * 0.3, "\(payload) instead of \(truth)")
    let names = (sample.columns["ZNAME"]?.bytes ?? 0) * sample.rows
    #expect(abs(names / Double(sums[1].whole) - 1) < 0.1)
    #expect(sample.bytes >= payload + names && sample.bytes < truth * 1.3 + 2e6)
  }

  @Test("An empty table has no rows and no bytes")
  func empty() throws {
    let folder = try TemporaryFolder("coredata-test", for: "the test")
    defer { folder.remove() }
    let path = folder.url.appendingPathComponent("Items.sqlite").path
    let model = try ModelDefinition(ModelFile.draft(xml: Data(Self.xml.utf8), file: "Items"))
    try SQLiteStore(model: model, index: 0, options: SQLiteStoreOptions(path: path)).close()
    let sample = try TableSample("ZITEM", StoreFile(path: path, access: .untouched))
    #expect(sample.rows == 0 && sample.bytes == 0 && sample.columns.isEmpty)
  }
}
