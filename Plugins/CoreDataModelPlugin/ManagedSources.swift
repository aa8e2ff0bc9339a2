// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// The sources from which the accessors of a target's `@NSManaged` members are generated.
///
/// They include the sources of the modules on which the target depends, because a property can have a type
/// that such a module declares.
struct ManagedSources {
  private let target: any SourceModuleTarget
  /// The direct dependencies in the same package, whose sources can change between builds.
  private let neighbours: [any SourceModuleTarget]
  /// All modules on which the target depends.
  private let dependencies: [any SourceModuleTarget]
  private let models: [ModelFolder]
  private let mappings: [ModelFolder]

  init(_ target: any SourceModuleTarget, models: [ModelFolder], mappings: [ModelFolder]) {
    self.target = target
    self.models = models
    self.mappings = mappings
    dependencies = Self.modules(target.recursiveTargetDependencies)
    neighbours = Self.modules(
      target.dependencies.flatMap { dependency -> [any Target] in
        guard case .target(let found) = dependency else { return [] }
        return [found]
      }
    )
  }

  /// Returns the targets that are source modules, without the modules of this library, whose types the
  /// generator knows.
  private static func modules(_ targets: [any Target]) -> [any SourceModuleTarget] {
    targets.compactMap { $0 as? any SourceModuleTarget }.filter {
      !$0.moduleName.hasPrefix("CoreData") && !$0.moduleName.hasPrefix("_CoreData")
    }
  }

  private static func sources(of target: any SourceModuleTarget) -> [URL] {
    target.sourceFiles(withSuffix: "swift").map(\.url).sorted { $0.path < $1.path }
  }

  /// The files from which the accessors are generated, except for those of other packages.
  var inputs: [URL] {
    Self.sources(of: target) + neighbours.flatMap(Self.sources)
      + (models + mappings).flatMap(\.inputs)
  }

  /// The list that the generator reads; `SourceList` of the generator describes it.
  var list: String {
    var lines = ["module \(target.moduleName)"]
    lines += models.map { "model \($0.url.path)" } + mappings.map { "mapping \($0.url.path)" }
    lines += Self.sources(of: target).map { "source \($0.path)" }
    var names: Set<String> = []
    for dependency in dependencies where names.insert(dependency.moduleName).inserted {
      lines.append("dependency \(dependency.moduleName)")
      lines += Self.sources(of: dependency).map { "source \($0.path)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
