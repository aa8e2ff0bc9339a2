// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The versions of the model, in the order of their releases.
enum ModelVersion: Int, CaseIterable {
  case notes1 = 1
  case notes2, notes3, notes4, notes5

  /// The model with all versions; nil if it is missing from the program's resources.
  static var url: URL? { Bundle.module.url(forResource: "Notes", withExtension: "xcdatamodeld") }

  /// The name of the version in `Notes.xcdatamodeld`.
  var name: String { self == .notes1 ? "Notes" : "Notes \(rawValue)" }

  /// The model of the version; nil if the file is missing from the program's resources.
  var model: NSManagedObjectModel? {
    Self.url.map { $0.appendingPathComponent("\(name).xcdatamodel") }
      .flatMap { NSManagedObjectModel(contentsOf: $0) }
  }
}
