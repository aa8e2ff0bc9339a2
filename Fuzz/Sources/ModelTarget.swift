// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Model files: what loads is written as text that loads as an equal model.
struct ModelTarget: FuzzTarget {
  func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let data = Data(bytes)
    guard let draft = try? ModelFile.draft(xml: data, file: "contents"),
      let model = try? ModelDefinition(draft)
    else { return }
    for earlier in [nil, data] {
      guard let written = try? ModelFile.xml(draft, over: earlier) else { continue }
      do {
        let read = try ModelDefinition(ModelFile.draft(xml: written, file: "written"))
        let difference = Set(read.facts).symmetricDifference(model.facts)
        if !difference.isEmpty { broken("What is written says something else", "\(difference)") }
      } catch {
        broken("What is written cannot be read", "\(error)")
      }
    }
    _ = ModelHashes(model: model).digest
  }
}
