// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts a model to the XML of a `contents` file.
///
/// When an existing file is updated, unchanged elements are copied from that file. In changed elements,
/// anything that `ModelReader` ignores is preserved, such as the editor layout and attributes written by
/// newer tools.
struct ModelWriter {
  private let draft: ModelDraft

  init(_ draft: ModelDraft) { self.draft = draft }

  /// Returns the root element of the new file; `old` is the root element of the existing file, if there is
  /// one.
  ///
  /// - Throws: `ModelError` for a value that has no text form in model files.
  func root(over old: MarkupElement?) throws -> MarkupElement {
    var fresh = try freshRoot()
    guard let old else { return fresh }
    fresh.attributes = old.attributes.filter { !Self.modelKeys.contains($0.key) }
      .merging(fresh.attributes.filter { Self.modelKeys.contains($0.key) }) { _, new in new }
    fresh.children = try merged(fresh.children, old.children) { new, old in
      switch new.name {
      case "entity":
        guard let entity = draft.entity(named: new["name"]) else { return new }
        return try self.entity(entity, over: old)
      case "fetchRequest":
        // The old element is read and converted back before the comparison, because a file may spell out
        // default values. An old element that cannot be read counts as different.
        let read = try? ModelReader.template(old)
        return read.map(Self.request)?.isSame(as: new) == true ? old : new
      default: return new.isSame(as: old) ? old : new
      }
    }
    return fresh
  }

  private static let modelKeys: Set<String> = ["userDefinedModelVersionIdentifier"]
  /// The names of the children of `<model>` that are written from the draft; other children are preserved.
  private static let modelChildren: Set<String> = [
    "entity", "configuration", "fetchRequest", "composite", "compositeAttribute",
  ]

  private func freshRoot() throws -> MarkupElement {
    var attributes = [
      "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0",
      "lastSavedToolsVersion": "1", "systemVersion": "1", "minimumToolsVersion": "Automatic",
      "sourceLanguage": "Swift",
    ]
    attributes["userDefinedModelVersionIdentifier"] = draft.versionIdentifiers.first
    var root = MarkupElement(name: "model", attributes: attributes, line: 0)
    for entity in draft.entities.sorted(by: { utf8Less($0.name, $1.name) }) {
      root.children.append(try self.entity(entity, over: nil))
    }
    root.children += draft.fetchRequestTemplates.map(Self.request)
    for (name, elements) in draft.composites.sorted(by: { utf8Less($0.key, $1.key) }) {
      var composite = MarkupElement(name: "composite", attributes: ["name": name], line: 0)
      composite.children = try elements.map { try Self.element($0, of: name) }
      root.children.append(composite)
    }
    for (name, members) in draft.configurations.sorted(by: { utf8Less($0.key, $1.key) }) {
      var element = MarkupElement(name: "configuration", attributes: ["name": name], line: 0)
      element.children = members.sorted(by: utf8Less).map {
        MarkupElement(name: "memberEntity", attributes: ["name": $0], line: 0)
      }
      root.children.append(element)
    }
    return root
  }

  /// Merges the children in `fresh` into the old children of an element, which keep their order.
  ///
  /// If an old and a new child have the same element name and the same `name` attribute, the result of
  /// `merge` replaces the old child. Any other old child is removed if its element name is in `known`, and
  /// otherwise preserved. Any other new child is inserted after the last child whose element name is in
  /// `known`.
  private func merged(
    _ fresh: [MarkupElement],
    _ old: [MarkupElement],
    known: Set<String> = ModelWriter.modelChildren,
    _ merge: (MarkupElement, MarkupElement) throws -> MarkupElement
  ) rethrows -> [MarkupElement] {
    var waiting = fresh
    var result: [MarkupElement] = []
    for element in old {
      guard known.contains(element.name) else {
        result.append(element)
        continue
      }
      let place = waiting.firstIndex { $0.name == element.name && $0["name"] == element["name"] }
      guard let place else { continue }
      result.append(try merge(waiting.remove(at: place), element))
    }
    // New children precede the elements that Xcode writes at the end, such as the layout.
    let end = (result.lastIndex { known.contains($0.name) } ?? -1) + 1
    result.insert(contentsOf: waiting, at: end)
    return result
  }

  // MARK: Entities

  private static let entityKeys: Set<String> = [
    "name", "representedClassName", "parentEntity", "isAbstract", "elementID",
    "versionHashModifier", "codeGenerationType",
  ]
  private static let entityChildren: Set<String> = [
    "attribute", "relationship", "fetchedProperty", "fetchIndex", "uniquenessConstraints",
    "userInfo", "compoundIndexes",
  ]

  private func entity(_ entity: EntityDraft, over old: MarkupElement?) throws -> MarkupElement {
    let fresh = try freshEntity(entity)
    guard let old else { return fresh }
    // An old element that cannot be read counts as different.
    let read = try? ModelReader.entity(old)
    if let read, try freshEntity(read).isSame(as: fresh) { return old }
    var element = fresh
    element.attributes = old.attributes.filter { !Self.entityKeys.contains($0.key) }
      .merging(fresh.attributes) { _, new in new }
    let keepsIndexes = read.map { Set($0.fetchIndexes) == Set(entity.fetchIndexes) } ?? false
    let written = fresh.children.filter { !keepsIndexes || $0.name != "fetchIndex" }
    var known = Self.entityChildren
    if keepsIndexes { known.subtract(["fetchIndex", "compoundIndexes"]) }
    element.children = try merged(written, old.children, known: known) { new, old in
      try Self.mergedProperty(new, old, entity, keepsIndexes: keepsIndexes)
    }
    return element
  }

  private func freshEntity(_ entity: EntityDraft) throws -> MarkupElement {
    var element = MarkupElement(name: "entity", attributes: ["name": entity.name], line: 0)
    element["representedClassName"] = entity.className ?? "NSManagedObject"
    element["parentEntity"] = entity.parent
    if entity.isAbstract { element["isAbstract"] = "YES" }
    element["elementID"] = entity.renamingIdentifier
    element["versionHashModifier"] = entity.versionHashModifier
    element["codeGenerationType"] = entity.codeGeneration?.rawValue
    element["syncable"] = "YES"
    element.children = try entity.properties.sorted { utf8Less($0.name, $1.name) }
      .map { try Self.element($0, of: entity.name) }
    element.children += entity.fetchIndexes.sorted { utf8Less($0.name, $1.name) }
      .map(Self.index)
    if !entity.uniquenessConstraints.isEmpty {
      element.children.append(Self.constraints(entity.uniquenessConstraints))
    }
    if let info = Self.userInfo(entity.userInfo) { element.children.append(info) }
    return element
  }

  private static func mergedProperty(
    _ new: MarkupElement,
    _ old: MarkupElement,
    _ entity: EntityDraft,
    keepsIndexes: Bool
  ) throws -> MarkupElement {
    // An old element that cannot be read counts as different.
    if let read = try? ModelReader.property(old, in: ModelReader.Location(entity: entity.name)),
      try element(read, of: entity.name).isSame(as: new), keepsIndexes || old["indexed"] != "YES"
    {
      return old
    }
    var element = new
    var unknown = old.attributes.filter { !propertyKeys.contains($0.key) }
    if !keepsIndexes { unknown["indexed"] = nil }
    element.attributes.merge(unknown) { new, _ in new }
    element.children += old.children.filter { child in
      !["userInfo", "fetchRequest", "uniquenessConstraint"].contains(child.name)
    }
    return element
  }
}

extension ModelDraft {
  fileprivate func entity(named name: String?) -> EntityDraft? {
    entities.first { $0.name == name }
  }
}
