// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder
import Testing
import _CoreDataModel

@Suite(.enabled(if: Shared.has("fixtures/compiled"), "\(Shared.absent)"))
struct CompiledModelHashTests {
  /// Hashes that Apple's model compiler wrote, against ours of the XML it compiled.
  @Test func aWholeModelFileHasTheHashesOfItsCompiledForm() throws {
    let info = try PropertyListSerialization.propertyList(
      from: Data(
        contentsOf: Shared.url(
          "fixtures/compiled/alemar11__CoreDataPlus__SampleModel_Fixtures_SampleModel.momd"
            + "/VersionInfo.plist"
        )
      ),
      format: nil
    )
    let versions = (info as? [String: Any])?["NSManagedObjectModel_VersionHashes"]
    let all = try #require(versions as? [String: [String: Data]])
    let file = Shared.url(
      "fixtures/models/alemar11__CoreDataPlus__SampleModel__SampleModel2.contents"
    )
    let hashes = try ModelHashes(model: ModelDefinition(ModelFile.draft(at: file)))
    #expect(hashes.byEntity == all["SampleModel2"])
    #expect(hashes.differences(stored: all["SampleModel2"] ?? [:]) == [])
    #expect(hashes.differences(stored: all["SampleModel3"] ?? [:]) != [])
  }
}
