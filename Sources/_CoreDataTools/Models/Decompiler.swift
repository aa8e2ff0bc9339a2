// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Converts models, such as compiled models and the models in stores, to model files for Xcode.
///
///     let decompiler = try Decompiler(URL(fileURLWithPath: "Shop.momd"))
///     try decompiler.write(to: URL(fileURLWithPath: "Shop.xcdatamodeld"))
package struct Decompiler {
  /// The model versions to write.
  package let versions: [LoadedModel]
  /// The name of the version that is marked as current.
  package let current: String

  /// Loads all versions of a `.momd` folder, or the current version of any other model.
  ///
  /// If `version` is not nil, loads only the version with this name; for a store, `version` is ignored.
  /// - Throws: the errors of `ModelOpening.load(_:version:)`; `ToolError` if a `.momd` folder does not
  ///   contain the current version that its `VersionInfo.plist` names.
  package init(_ url: URL, version: String? = nil) throws {
    let all = version == nil && url.pathExtension == "momd"
    versions =
      all
      ? try ModelOpening.versions(of: url).map { try ModelOpening.load($0.file) }
      : [try ModelOpening.load(url, version: version)]
    let marked = all ? try ModelOpening.currentVersion(of: url) : nil
    current = marked ?? versions[0].name
    if !versions.contains(where: { [current] in $0.name == current }) {
      throw ToolError(
        "\(url.path): VersionInfo.plist names the current version “\(current)”, but the folder contains no "
          + "\(current).mom",
        hint: "Compile the model again, or select a version in the folder with --version: "
          + versions.map(\.name).joined(separator: ", ")
      )
    }
  }

  /// Writes an `.xcdatamodeld` with all versions or, if `target` has the extension `.xcdatamodel`, only the
  /// current version.
  ///
  /// An existing model file keeps the contents that compiled models lack, such as Xcode's layout.
  /// - Returns: a message for each version that has contents which model files cannot express. The message
  ///   lists these contents.
  /// - Throws: `ModelError`; `ToolError` if the files cannot be written.
  package func write(to target: URL) throws -> [String] {
    let isOne = target.pathExtension == "xcdatamodel"
    let chosen = isOne ? versions.filter { $0.name == current } : versions
    do {
      if isOne {
        for version in chosen { try ModelFile.write(version.draft, to: target) }
      } else {
        let drafts = chosen.map { (name: $0.name, draft: $0.draft) }
        try ModelFile.write(drafts, current: current, to: target)
      }
    } catch let error as CocoaError {
      throw ToolError(
        "\(target.path): the model cannot be written: \(error.localizedDescription)"
      )
    }
    return try chosen.compactMap { version in
      let file =
        isOne ? target : target.appendingPathComponent(version.name + ".xcdatamodel")
      let written = try ModelDefinition(ModelFile.draft(at: file))
      let difference = ModelDifference(from: version.definition, to: written)
      if difference.isEmpty { return nil }
      return
        "\(file.path) lacks parts of \(version.origin), because model files cannot express these parts:\n"
        + difference.text
    }
  }
}
