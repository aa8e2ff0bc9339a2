// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Checks a mapping model against a target's Swift files and the versions of the target's models, without a
/// store.
package struct MappingModelCheck {
  /// A version of one of the target's models.
  private struct Version {
    let name: String
    let model: ModelDefinition
    let hashes: [String: Data]
  }

  private let file: URL
  private let draft: MappingDraft
  private let versions: [Version]
  private var source: Version?
  private var destination: Version?
  /// The source version's model or, if the version is not found, the source model in the mapping model's
  /// file.
  private var sourceModel: ModelDefinition?
  /// The destination version's model or, if the version is not found, the destination model in the mapping
  /// model's file.
  private var destinationModel: ModelDefinition?

  /// Returns the problems of a mapping model, errors first; empty if it has no problems.
  ///
  /// The result contains an error for each of these problems:
  /// - The file cannot be read, or an expression in the file cannot be parsed.
  /// - The source or destination entities match no version of `models`.
  /// - The mapping model refers to an entity, a property or an entity mapping that does not exist.
  ///
  /// For a policy class that no file in `sources` declares, the result contains only a warning, because
  /// another target can declare the class.
  ///
  /// A model or version that cannot be read is skipped, because the generator reports it. If `models` is
  /// empty, the versions are not checked, because the models can be in another target.
  package static func problems(of file: URL, models: [URL], sources: [URL]) -> [ModelProblem] {
    do {
      return try MappingModelCheck(file, models).problems(sources)
    } catch let error as ModelError {
      var error = error
      error.file = error.file ?? file.path
      return [ModelProblem(.error, error)]
    } catch {
      return [ModelProblem(.error, ModelError(file: file.path, reason: "\(error)"))]
    }
  }

  private init(_ file: URL, _ models: [URL]) throws {
    self.file = file
    draft = try MappingFile.draft(at: file, predicates: PredicateTexts())
    versions = models.flatMap { url -> [Version] in
      // The errors are dropped: the generator reports them for the model.
      ((try? ModelFile.versions(of: url)) ?? []).compactMap { version in
        guard let draft = try? ModelFile.draft(at: version.contents),
          let model = try? ModelDefinition(draft)
        else { return nil }
        let hashes = ModelHashes(model: model).byEntity
        return Version(name: version.name, model: model, hashes: hashes)
      }
    }
    source = version { ($0.source, $0.sourceHash) }
    destination = version { ($0.destination, $0.destinationHash) }
    // The error is dropped: the reader of mapping models has checked the models in the file.
    sourceModel = source?.model ?? draft.sourceModel.flatMap { try? ModelDefinition($0) }
    let given = draft.destinationModel
    // The error is dropped for the same reason.
    destinationModel = destination?.model ?? given.flatMap { try? ModelDefinition($0) }
  }

  private func problem(
    _ reason: String,
    _ mapping: String? = nil,
    _ property: String? = nil,
    isWarning: Bool = false
  ) -> ModelProblem {
    ModelProblem(
      isWarning ? .warning : .error,
      ModelError(file: file.path, entity: mapping, property: property, reason: reason)
    )
  }

  private func problems(_ sources: [URL]) -> [ModelProblem] {
    if draft.entities.isEmpty { return [problem("the mapping model has no entity mappings")] }
    return versionProblems("source", source) { ($0.source, $0.sourceHash) }
      + versionProblems("destination", destination) { ($0.destination, $0.destinationHash) }
      + draft.entities.flatMap { problems(of: $0) } + policyProblems(sources)
  }

  // MARK: Versions

  private typealias Side = (EntityMappingDraft) -> (name: String?, hash: Data?)

  /// Returns the first version that contains every entity of one side of the mapping model with the same
  /// version hash; nil if no version does.
  ///
  /// `side` returns the source entity or the destination entity of an entity mapping.
  private func version(_ side: Side) -> Version? {
    versions.first { version in
      draft.entities.allSatisfy { mapping in
        let (name, hash) = side(mapping)
        return name.map { hash != nil && version.hashes[$0] == hash } ?? true
      }
    }
  }

  private func versionProblems(_ kind: String, _ found: Version?, _ side: Side) -> [ModelProblem] {
    if found != nil || versions.isEmpty { return [] }
    let differing = versions.map { version in
      let names = draft.entities.compactMap { mapping -> String? in
        let (name, hash) = side(mapping)
        return name.flatMap { hash != nil && version.hashes[$0] == hash ? nil : $0 }
      }
      return (version: version, names: Set(names).sorted(by: utf8Less))
    }
    guard let nearest = differing.min(by: { $0.names.count < $1.names.count }) else { return [] }
    return nearest.names.map { name in
      let isMissing = nearest.version.model.entity(named: name) == nil
      return problem(
        "the \(kind) entity \(name) does not match any version of the target's models: in "
          + "“\(nearest.version.name)”, the closest version, the entity "
          + (isMissing ? "is missing" : "has a different definition")
          + ". Restore the version for which the mapping model was created. If that version was not "
          + "released, you can choose Editor ▸ Refresh Data Models in Xcode instead"
      )
    }
  }

  // MARK: Entity mappings

  private func problems(of mapping: EntityMappingDraft) -> [ModelProblem] {
    var found: [ModelProblem] = []
    let from = mapping.source.flatMap { sourceModel?.entity(named: $0) }
    let to = mapping.destination.flatMap { destinationModel?.entity(named: $0) }
    if let name = mapping.source, sourceModel != nil, from == nil {
      found.append(problem("the source model has no entity “\(name)”", mapping.name))
    }
    if let name = mapping.destination, destinationModel != nil, to == nil {
      found.append(problem("the destination model has no entity “\(name)”", mapping.name))
    }
    if let expression = mapping.sourceExpression {
      found += problems(
        of: expression,
        in: mapping,
        property: nil,
        source: from,
        part: "the source expression"
      )
    }
    for (kind, properties) in [
      ("attribute", mapping.attributes), ("relationship", mapping.relationships),
    ] {
      for property in properties {
        if let to, property.expression != nil, !Self.has(to, property.name, kind) {
          found.append(
            problem(
              "the destination entity \(to.name) has no \(kind) “\(property.name)”",
              mapping.name,
              property.name
            )
          )
        }
        guard let expression = property.expression else { continue }
        found += problems(
          of: expression,
          in: mapping,
          property: property.name,
          source: from,
          part: "the value expression"
        )
      }
    }
    return found
  }

  private static func has(_ entity: EntityDefinition, _ name: String, _ kind: String) -> Bool {
    guard let property = entity.property(named: name) else { return false }
    return kind == "attribute" ? property.attribute != nil : property.relationship != nil
  }

  // MARK: Expressions

  private func problems(
    of expression: String,
    in mapping: EntityMappingDraft,
    property: String?,
    source: EntityDefinition?,
    part: String
  ) -> [ModelProblem] {
    do {
      let names = MappedNames(try Term(format: expression))
      for format in names.predicates { _ = try Condition(format: format) }
      let missing = names.sourceProperties.filter { name in
        guard let source else { return false }
        return source.property(named: name) == nil && !name.hasPrefix("@")
          && !["self", "objectID", "entity"].contains(name)
      }
      let known = Set(draft.entities.map(\.name))
      return missing.map { name in
        problem(
          "\(part) \(expression) reads “\(name)”, but the source entity \(source?.name ?? "") has no such "
            + "property",
          mapping.name,
          property
        )
      }
        + names.mappings.filter { !known.contains($0) }.map { name in
          problem(
            "\(part) names the entity mapping “\(name)”, which does not exist",
            mapping.name,
            property
          )
        }
    } catch {
      return [problem("\(part) \(expression) cannot be parsed: \(error)", mapping.name, property)]
    }
  }

  // MARK: Policies

  private func policyProblems(_ sources: [URL]) -> [ModelProblem] {
    let policies = draft.entities.compactMap { mapping in
      mapping.policyClassName.flatMap { $0.isEmpty ? nil : (mapping: mapping.name, name: $0) }
    }
    if policies.isEmpty || sources.isEmpty { return [] }
    let module = ModuleSources(module: "", files: sources.map(\.path))
    return policies.compactMap { mapping, name in
      let plain = name.split(separator: ".").last.map(String.init) ?? name
      let classes = module.types(named: plain).filter { $0.kind == .class }
      if classes.contains(where: { !$0.inherited.isEmpty }) { return nil }
      if !classes.isEmpty {
        return problem(
          "the policy class “\(name)” has no superclass; make it a subclass of NSEntityMigrationPolicy",
          mapping,
          isWarning: true
        )
      }
      return problem(
        "the policy class “\(name)” is not declared in this target; migrations fail with error 134170 unless "
          + "another target of the program declares it",
        mapping,
        isWarning: true
      )
    }
  }
}
