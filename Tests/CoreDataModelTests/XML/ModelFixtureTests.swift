// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder
import Testing
import _CoreDataModel

@Suite(.enabled(if: Shared.has("fixtures/models"), "\(Shared.absent)"))
struct ModelFixtureTests {
  /// Files of the collection that are no valid model, and what is said of them.
  static let broken: [String: String] = [:]

  @Test func everyModelOfTheCollectionLoadsAndBuilds() throws {
    var failures: [String: String] = [:]
    var loaded = 0
    for file in try Shared.files(in: "fixtures/models", extension: "contents") {
      do {
        _ = try ModelDefinition(ModelFile.draft(at: file))
        loaded += 1
      } catch let error as ModelError {
        failures[file.lastPathComponent] = error.explanation
      }
    }
    #expect(failures == Self.broken)
    #expect(loaded > 300)
  }
}
