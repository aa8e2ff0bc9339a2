// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension NSManagedObject {
  /// Validates a value passed as an object, as in Apple's declaration, and may replace the value.
  ///
  /// - Throws: the errors of `validateValue(_:forKey:)` for `Any?`, which this method calls.
  public func validateValue(_ value: inout AnyObject?, forKey key: String) throws {
    let given = value
    var checked: Any? = given
    try validateValue(&checked, forKey: key)
    value = checked as AnyObject?
  }

  func validateModelledValue(_ value: inout Any?, _ key: String) throws {
    guard let property = property(key) else {
      Misuse.undefinedKey(key, of: self, verb: "validateValue:forKey:")
    }
    checkQueue("validateValue(_:forKey:)")
    try coerce(&value, property)
    if let error = violation(of: property, value: value) { throw error }
    let description = frozenModel.properties[self.key.entity][property.slot]
    if let error = description.violation(of: value, object: self) { throw error }
    try validators[key]?(self, &value)
  }

  private var validators: [String: Validator] {
    frozenModel.support.validators(of: type(of: self))
  }

  /// Converts the value to the property's type.
  ///
  /// - Throws: 1650 for a date attribute, 1690 for a URI attribute, otherwise 1550, if the value has the
  ///   wrong type.
  private func coerce(_ value: inout Any?, _ property: PropertyDefinition) throws {
    guard let given = value, !(given is NSNull) else {
      value = nil
      return
    }
    if property.relationship != nil {
      let isRight = (given as? NSManagedObject).map { isDestination($0, of: property) } ?? false
      if property.isToOne && !isRight { throw mismatch(property, given) }
      return
    }
    let layout = entityDefinition.rowLayout
    if property.attribute == nil || layout.kinds[property.slot] == .opaque { return }
    let (scratch, row) = RowChunk.single(layout)
    guard scratch.setValue(row, property.slot, Value(any: given)) else {
      throw mismatch(property, given)
    }
    if layout.kinds[property.slot] != .reference {
      value = scratch.value(row, property.slot).any
    }
  }

  private func mismatch(_ property: PropertyDefinition, _ value: Any) -> NSError {
    let code =
      switch property.attribute?.type {
      case .date: NSValidationInvalidDateError
      case .uri: NSValidationInvalidURIError
      case nil, .undefined, .integer16, .integer32, .integer64, .decimal, .double, .float, .string,
        .boolean, .binaryData, .uuid, .transformable, .objectID, .composite:
        NSManagedObjectValidationError
      }
    return ValidationErrors.make(code, object: self, property: property, value: value)
  }

  /// Validates the object's properties; fires a fault first, except during a save.
  func validateStored() throws {
    checkQueue("validateForUpdate()")
    if context?.validation.isRunning == false { realize() }
    try validateProperties()
  }

  /// Validates every property by the model's rules and the class's validators; throws a single violation
  /// unchanged, and several as error 1560.
  func validateProperties() throws {
    checkQueue("validateForUpdate()")
    let definition = entityDefinition
    var errors: [NSError] = []
    for slot in definition.validatedSlots {
      if let error = violation(of: definition.properties[slot]) { errors.append(error) }
    }
    let model = frozenModel
    for slot in model.predicateSlots[definition.index] {
      let value = value(of: definition.properties[slot])
      if let error = model.properties[definition.index][slot].violation(of: value, object: self) {
        errors.append(error)
      }
    }
    // The checks for empty collections save time: most objects have neither opaque values nor validators, and
    // even appending an empty array has a cost.
    if detail?.objects.isEmpty == false { errors += unarchivedValues() }
    let validators = validators
    if !validators.isEmpty { errors += violations(of: validators) }
    try ValidationErrors.throwIfAny(errors)
  }

  /// Returns errors for transformable values that cannot be archived and that a save would therefore
  /// lose.
  private func unarchivedValues() -> [NSError] {
    guard let objects = detail?.objects, !objects.isEmpty, let chunk else { return [] }
    return objects.sorted { $0.key < $1.key }.compactMap { slot, value in
      let property = entityDefinition.properties[slot]
      guard let attribute = property.attribute, attribute.type == .transformable,
        !property.isTransient, chunk.isNull(rowIndex, slot)
      else { return nil }
      return ValidationErrors.make(
        NSManagedObjectValidationError,
        object: self,
        key: property.name,
        value: value,
        warning: unarchivableText(property, attribute, value)
      )
    }
  }

  private func unarchivableText(
    _ property: PropertyDefinition,
    _ attribute: AttributeDefinition,
    _ value: Any
  ) -> String {
    "The value of “\(property.name)” of \(entityDefinition.name) was not archived: "
      + Transformable.reasonForNoData(of: value, attribute)
  }

  /// Calls the class's validators in the order of their keys, each with the current value of its property.
  ///
  /// If a validator replaces a value, the property is set to the new value.
  ///
  /// - Returns: the errors that the validators throw.
  private func violations(of validators: [String: Validator]) -> [NSError] {
    var errors: [NSError] = []
    for (key, validate) in validators.sorted(by: { $0.key < $1.key }) {
      guard property(key) != nil else { continue }
      let current = value(forKey: key)
      var value = current
      do {
        try validate(self, &value)
        if !Self.areSame(current, value) { setValue(value, forKey: key) }
      } catch {
        errors.append(error as NSError)
      }
    }
    return errors
  }

  private static func areSame(_ left: Any?, _ right: Any?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?):
      if let left = left as? AnyHashable, let right = right as? AnyHashable {
        left == right
      } else {
        (left as AnyObject) === (right as AnyObject)
      }
    default: false
    }
  }

  func validateDenials() throws {
    checkQueue("validateForDelete()")
    guard let context else { return }
    try ValidationErrors.throwIfAny(
      context.graph.denials(of: self).map { property in
        ValidationErrors.make(
          NSValidationRelationshipDeniedDeleteError,
          object: self,
          property: property,
          value: value(of: property)
        )
      }
    )
  }

  /// Returns the validation error for the property's current value; nil if the value is valid, or if the
  /// property's check is postponed.
  ///
  /// Does not fire the object's fault.
  private func violation(of property: PropertyDefinition) -> NSError? {
    if let relationship = property.relationship {
      if context?.postponedRules.contains(relationship.isToMany ? .toManys : .toOnes) == true {
        return nil
      }
      if relationship.isToMany { return currentCountViolation(property) }
    }
    // A fault has no unsaved attributes or to-ones, and its stored values were validated when they were
    // saved.
    if isFault { return nil }
    let isNull = chunk?.isNull(rowIndex, property.slot) ?? true
    if isNull, detail?.objects[property.slot] == nil {
      let isPostponed =
        property.isTransient && context?.postponedRules.contains(.transients) == true
      return property.isOptional || isPostponed
        ? nil
        : ValidationErrors.make(
          NSValidationMissingMandatoryPropertyError,
          object: self,
          property: property,
          value: nil
        )
    }
    if property.isTransformedByName { return transformerViolation(property) }
    guard property.hasBounds else { return nil }
    return violation(of: property, value: value(of: property))
  }

  private func currentCountViolation(_ property: PropertyDefinition) -> NSError? {
    // The unchanged to-many of a stored object was validated when it was saved.
    guard isInserted || !isManaged || detail?.changed.contains(property.slot) == true else {
      return nil
    }
    return countViolation(property, count: memberCount(property.slot)) {
      self.value(of: property)
    }
  }

  private func countViolation(
    _ property: PropertyDefinition,
    count: Int,
    value: () -> Any?
  ) -> NSError? {
    property.violation(ofMemberCount: count).map { violation in
      ValidationErrors.make(
        violation == .tooFew
          ? NSValidationRelationshipLacksMinimumCountError
          : NSValidationRelationshipExceedsMaximumCountError,
        object: self,
        property: property,
        value: value()
      )
    }
  }

  /// Encodes a value that was set before its transformer was registered; returns an error if the transformer
  /// is still not registered, otherwise nil.
  private func transformerViolation(_ property: PropertyDefinition) -> NSError? {
    let slot = property.slot
    guard let chunk, let object = detail?.objects[slot], chunk.bytes(rowIndex, slot).isEmpty else {
      return nil
    }
    guard let data = Transformable.data(from: object, property) else {
      if let error = missingTransformer(property, object) { return error }
      // The transformer returned no data. A null slot makes `unarchivedValues()` report the error.
      chunk.setNull(rowIndex, slot)
      return nil
    }
    chunk.setValue(rowIndex, slot, .data(data))
    return nil
  }

  private func missingTransformer(_ property: PropertyDefinition, _ value: Any) -> NSError? {
    guard let reason = Transformable.missing(property) else { return nil }
    return ValidationErrors.make(
      NSManagedObjectValidationError,
      object: self,
      key: property.name,
      value: value,
      warning:
        "The value of “\(property.name)” of \(entityDefinition.name) cannot be saved: \(reason)"
    )
  }

  private func violation(of property: PropertyDefinition, value: Any?) -> NSError? {
    if let relationship = property.relationship, relationship.isToMany {
      let count =
        switch value {
        case let set as NSOrderedSet: set.count
        case let set as NSSet: set.count
        case let set as Set<AnyHashable>: set.count
        case let array as [Any]: array.count
        default: 0
        }
      return countViolation(property, count: count) { value }
    }
    guard let value, !(value is NSNull) else {
      return property.isOptional
        ? nil
        : ValidationErrors.make(
          NSValidationMissingMandatoryPropertyError,
          object: self,
          property: property,
          value: nil
        )
    }
    if property.isTransformedByName { return missingTransformer(property, value) }
    guard let violation = property.attribute?.violation(of: Value(any: value)) else { return nil }
    return ValidationErrors.make(
      violation.code,
      object: self,
      key: property.name,
      value: value,
      element: violation.element,
      warning: violation.reason.map {
        let name = ([property.name] + violation.element).joined(separator: ".")
        return "The value of “\(name)” of \(entityDefinition.name) cannot be validated: \($0)."
      }
    )
  }
}

private struct RuleViolation {
  let code: Int
  /// The reason why the rule could not be evaluated; nil if the rule was evaluated.
  var reason: String?
  /// The path, in a composite, of the element that violates the rule; empty for other attributes.
  var element: [String] = []
}

extension AttributeDefinition {
  fileprivate func violation(of value: Value) -> RuleViolation? {
    switch value {
    case .dictionary(let members): return elementViolation(members)
    case .text(let text): return textViolation(text)
    default: return boundViolationCode(value).map { RuleViolation(code: $0) }
    }
  }

  private func boundViolationCode(_ value: Value) -> Int? {
    guard let number = value.size else { return nil }
    let isDate = if case .date = value { true } else { false }
    if let minimum = minimum?.size, number < minimum {
      return isDate ? NSValidationDateTooSoonError : NSValidationNumberTooSmallError
    }
    if let maximum = maximum?.size, number > maximum {
      return isDate ? NSValidationDateTooLateError : NSValidationNumberTooLargeError
    }
    return nil
  }

  /// Returns the first violation of a rule by an element of a composite; nil if there is none.
  ///
  /// Elements of a nested composite that is nil are not checked.
  private func elementViolation(_ members: [String: Value]) -> RuleViolation? {
    for element in elements {
      var owner = members
      var isThere = true
      for name in element.path.dropLast() {
        if case .dictionary(let inside)? = owner[name] { owner = inside } else { isThere = false }
      }
      guard isThere else { continue }
      let value = element.path.last.flatMap { owner[$0] } ?? .null
      if value.isNull, !element.isOptional {
        return RuleViolation(
          code: NSValidationMissingMandatoryPropertyError,
          element: element.path
        )
      }
      if var violation = element.attribute.violation(of: value) {
        violation.element = element.path
        return violation
      }
    }
    return nil
  }

  private func textViolation(_ text: String) -> RuleViolation? {
    let length = Double(text.utf16.count)
    if let minimum = minimum?.size, length < minimum {
      return RuleViolation(code: NSValidationStringTooShortError)
    }
    if let maximum = maximum?.size, length > maximum {
      return RuleViolation(code: NSValidationStringTooLongError)
    }
    guard let pattern else { return nil }
    do {
      let matches = try Relation.matches.holds(.text(text), .text(pattern))
      return matches ? nil : RuleViolation(code: NSValidationStringPatternMatchingError)
    } catch {
      // A pattern that cannot be evaluated counts as violated; otherwise the value would be stored unchecked.
      return RuleViolation(code: NSValidationStringPatternMatchingError, reason: "\(error)")
    }
  }
}

extension Value {
  /// The value as a number that can be compared with the bounds; nil for a value that is not a number, a date
  /// or a Boolean.
  fileprivate var size: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number), .date(let number): number
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }
}
