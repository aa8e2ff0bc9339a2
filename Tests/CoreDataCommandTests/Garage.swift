// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A store of four entities, and a model with its version and a later one.
struct Garage {
  let fixtures: Fixtures
  let store: String
  let model: String

  /// Each pair of texts is a part of the store's model and its replacement.
  init(_ changes: (from: String, to: String)...) throws {
    fixtures = try Fixtures()
    store = try fixtures.store(Fixtures.cars, as: "Cars.sqlite")
    let file = try fixtures.model(Fixtures.carsModel)
    let old = try String(contentsOfFile: file, encoding: .utf8)
    try FileManager.default.removeItem(atPath: file)
    var new = old
    for change in changes {
      precondition(new.contains(change.from), "the model lacks \(change.from)")
      new = new.replacingOccurrences(of: change.from, with: change.to)
    }
    let bundle = fixtures.folder.appendingPathComponent("Cars.xcdatamodeld")
    for (name, xml) in [("Cars", old), ("Cars 2", new)] {
      let version = bundle.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(xml.utf8).write(to: version.appendingPathComponent("contents"))
    }
    let current = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "Cars 2.xcdatamodel"],
      format: .xml,
      options: 0
    )
    try current.write(to: bundle.appendingPathComponent(".xccurrentversion"))
    model = bundle.path
  }

  func migrate(_ options: String...) throws -> Command.Outcome {
    try Command.run(["migrate", store, model] + options)
  }

  /// Every version of the model is in a folder, so only the files beside it are compared.
  func state() throws -> [String: Data] { try fixtures.state() }
  func remove() { fixtures.remove() }

  static let maker = #"<attribute name="maker" optional="YES" attributeType="String"/>"#
  static let model = #"<attribute name="model" optional="YES" attributeType="String"/>"#
  static let owner =
    #"<relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" "#
    + #"destinationEntity="Person" inverseName="cars" inverseEntity="Person"/>"#
  static let cars =
    #"<relationship name="cars" optional="YES" toMany="YES" deletionRule="Nullify" "#
    + #"destinationEntity="Car" inverseName="owner" inverseEntity="Car"/>"#
  static let doors =
    #"<attribute name="doors" attributeType="Integer 16" defaultValueString="4"/>"#
}
