// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §5: one test for each rule; the name starts with the rule's number.
@Suite struct ValidationRules {
  /// A form with a rule of every kind, and a stack of it.
  private func form(
    _ change: (NSManagedObjectModel) -> Void = { _ in }
  ) throws -> LibraryStack {
    let model = try Form.model()
    change(model)
    return try LibraryStack(NSInMemoryStoreType, model: model)
  }

  private func errors(_ body: () throws -> Void) -> [NSError] {
    do {
      try body()
      return []
    } catch {
      let error = error as NSError
      return error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
    }
  }

  private func rules(_ body: () throws -> Void) -> [String] {
    errors(body).map { "\($0.userInfo[NSValidationKeyErrorKey] ?? "") \($0.code)" }.sorted()
  }

  @Test("VAL-1 a save runs willSave, then the delete rules, then the validations")
  func val1() throws {
    let model = Web.model()
    model.entitiesByName["Node"]?.managedObjectClassName = "Checked"
    ManagedObjectClasses.register(Checked.self)
    let stack = try LibraryStack(NSInMemoryStoreType, model: model)
    stack.context.propagatesDeletesAtEndOfEvent = false
    let gone = stack.make("Node", ["name": "gone"])
    let child = stack.make("Node", ["name": "child", "parent": gone])
    try stack.context.save()
    let log = CheckLog()
    stack.context.userInfo["log"] = log
    stack.context.delete(gone)
    child.setValue("changed", forKey: "name")
    _ = stack.make("Node", ["name": "new"])
    try stack.context.save()
    let saving = log.entries.filter { $0.hasPrefix("willSave") }
    #expect(Set(saving) == ["willSave new", "willSave changed", "willSave gone"])
    #expect(
      log.entries.suffix(3) == ["delete gone", "insert new", "update changed parent nil"],
      "\(log.entries)"
    )
  }

  @Test("VAL-2 validateValue coerces, checks the model's rules, then the class's own check")
  func val2() throws {
    let stack = try form {
      $0.entitiesByName["Form"]?.managedObjectClassName = "CheckedForm"
      ManagedObjectClasses.register(CheckedForm.self)
    }
    let form = stack.make("Form", Form.valid)
    var value: Any? = 3.75
    try form.validateValue(&value, forKey: "count")
    #expect(value as? Int == 3 && value as? Double == 3, "what the attribute can hold")
    value = "  Momo  "
    try form.validateValue(&value, forKey: "code")
    #expect(value as? String == "Momo", "the check replaces the value")
    var object: AnyObject? = "  Lem " as NSString
    try form.validateValue(&object, forKey: "code")
    #expect(object as? String == "Lem", "a value held as an object, as Apple's declaration has it")
    value = "bad"
    #expect(throws: CocoaError.self) { try form.validateValue(&value, forKey: "code") }
    value = 11
    #expect(throws: NSError.self) { try form.validateValue(&value, forKey: "count") }
    value = nil
    #expect(rules { try form.validateValue(&value, forKey: "name") } == ["name 1570"])
    #expect(form.value(forKey: "count") as? Int == 5, "nothing was set")
    // The check runs before a save too, and what it replaces is saved.
    form.setValue("  Jim  ", forKey: "code")
    try stack.context.save()
    #expect(form.value(forKey: "code") as? String == "Jim")
    form.setValue("bad", forKey: "code")
    #expect(throws: CocoaError.self) { try stack.context.save() }
  }

  @Test("VAL-3 one failure is thrown itself, several as 1560 with all of them")
  func val3() throws {
    let stack = try form()
    let form = stack.make("Form", Form.valid)
    form.setValue(nil, forKey: "name")
    let one = #expect(throws: NSError.self) { try form.validateForInsert() }
    #expect(one?.code == NSValidationMissingMandatoryPropertyError)
    form.setValue(11, forKey: "count")
    form.setValue(Set([stack.make("Tag")]), forKey: "tags")
    let many = #expect(throws: NSError.self) { try form.validateForInsert() }
    #expect(many?.code == NSValidationMultipleErrorsError)
    #expect(
      rules { try form.validateForInsert() } == ["count 1610", "name 1570", "tags 1580"]
    )
    let second = stack.make("Form", Form.valid)
    second.setValue(-1, forKey: "count")
    let both = errors { try stack.context.save() }
    #expect(
      Set(both.compactMap { $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject })
        == [form, second]
    )
    #expect(both.count == 4)
  }

  @Test("VAL-3 a subclass merges its own error with those of super")
  func val3Subclass() throws {
    let stack = try form {
      $0.entitiesByName["Form"]?.managedObjectClassName = "StrictForm"
      ManagedObjectClasses.register(StrictForm.self)
    }
    let form = stack.make("Form", Form.valid)
    form.setValue(11, forKey: "count")
    #expect(rules { try stack.context.save() } == [" 9000", "count 1610"])
  }

  @Test("VAL-4 errors carry object, key, value and predicate; texts come from warning and model")
  func val4() throws {
    let stack = try form { model in
      let even = NSPredicate(format: "modulus:by:(SELF, 2) == 0")
      model.entitiesByName["Form"]?.attributesByName["step"]?.setValidationPredicates(
        [even, NSPredicate(format: "SELF < 100")],
        withValidationWarnings: ["Steps are even."]
      )
      model.localizationDictionary = [
        "Property/name/Entity/Form": "Der Name", "Property/count": "Die Zahl",
        "ErrorString/Steps are even.": "Schritte sind gerade.",
      ]
    }
    let form = stack.make("Form", Form.valid)
    form.setValue(3, forKey: "step")
    let error = try #require(errors { try stack.context.save() }.first)
    #expect(error.code == NSManagedObjectValidationError && error.domain == NSCocoaErrorDomain)
    #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === form)
    #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "step")
    #expect(error.userInfo[NSValidationValueErrorKey] as? Int == 3)
    #expect(error.userInfo[NSValidationPredicateErrorKey] is NSPredicate)
    #expect(error.localizedDescription == "Schritte sind gerade.")
    let cocoa = CocoaError(_nsError: error)
    #expect(cocoa.validationKey == "step" && cocoa.validationObject as? NSManagedObject === form)
    form.setValue(nil, forKey: "name")
    form.setValue(200, forKey: "step")
    form.setValue(11, forKey: "count")
    let texts = Dictionary(
      uniqueKeysWithValues: errors { try stack.context.save() }.map {
        ($0.userInfo[NSValidationKeyErrorKey] as? String ?? "", $0.localizedDescription)
      }
    )
    #expect(texts["name"] == "Der Name is a required value.")
    #expect(texts["count"] == "Die Zahl is too large.")
    #expect(texts["step"] == "step is not valid.", "the second predicate has no warning")
  }

  @Test(
    "VAL-5 every rule has its code",
    arguments: [
      ("name", nil, 1570), ("count", 11 as (any Sendable)?, 1610), ("count", -1, 1620),
      ("born", Date(timeIntervalSinceReferenceDate: 2000), 1630),
      ("born", Date(timeIntervalSinceReferenceDate: -1), 1640), ("born", "monday", 1650),
      ("code", "abcdefghijk", 1660), ("code", "a", 1670), ("code", "AB1", 1680),
      ("link", 7, 1690), ("step", "x", 1550),
    ]
  )
  func val5(key: String, given: (any Sendable)?, code: Int) throws {
    let stack = try form()
    let form = stack.make("Form", Form.valid)
    var value: Any? = given
    let found = errors { try form.validateValue(&value, forKey: key) }
    #expect(found.map(\.code) == [code])
    #expect(found.first?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === form)
    if [1650, 1690, 1550].contains(code) { return }
    form.setValue(given, forKey: key)
    #expect(rules { try form.validateForUpdate() } == ["\(key) \(code)"])
  }

  @Test("VAL-5 validateForUpdate on a fault checks what is stored")
  func val5Fault() throws {
    let stack = try LibraryStack(model: Form.model())
    let form = stack.make("Form", Form.valid)
    try stack.context.save()
    let url = try #require(try stack.store.url)
    try SQLFile(url: url).run("UPDATE ZFORM SET ZCOUNT = 99")
    let reader = stack.container.newBackgroundContext()
    let fault = reader.object(with: form.objectID)
    #expect(fault.isFault)
    #expect(rules { try fault.validateForUpdate() } == ["count 1610"])
    #expect(!fault.isFault)
  }

  @Test("VAL-5 too few and too many members are 1580 and 1590, a denied deletion 1600")
  func val5Counts() throws {
    let stack = try form()
    let form = stack.make("Form", Form.valid)
    let tags = (0..<4).map { stack.make("Tag", ["name": "\($0)"]) }
    form.setValue(Set(tags[0..<1]), forKey: "tags")
    #expect(rules { try form.validateForInsert() } == ["tags 1580"])
    form.setValue(Set(tags), forKey: "tags")
    #expect(rules { try form.validateForInsert() } == ["tags 1590"])
    var members: Any? = NSSet(array: Array(tags[0..<1]))
    #expect(rules { try form.validateValue(&members, forKey: "tags") } == ["tags 1580"])
    form.setValue(Set(tags[0..<2]), forKey: "tags")
    try stack.context.save()
    stack.context.delete(form)
    #expect(rules { try stack.context.save() } == ["tags 1600"])
  }

  @Test("VAL-6 a mandatory to-one that is nil is a missing value")
  func val6() throws {
    let stack = try form {
      $0.entitiesByName["Form"]?.relationshipsByName["owner"]?.isOptional = false
    }
    let form = stack.make("Form", Form.valid)
    #expect(rules { try form.validateForInsert() } == ["owner 1570"])
    form.setValue(stack.make("Tag"), forKey: "owner")
    try form.validateForInsert()
  }

  @Test("VAL-7 an empty text is a value")
  func val7() throws {
    let stack = try form()
    let form = stack.make("Form", Form.valid)
    form.setValue("", forKey: "name")
    try form.validateForInsert()
  }

  @Test("VAL-8 transient properties are validated")
  func val8() throws {
    let stack = try form {
      $0.entitiesByName["Form"]?.attributesByName["draft"]?.isOptional = false
    }
    let form = stack.make("Form", Form.valid)
    #expect(rules { try stack.context.save() } == ["draft 1570"])
    form.setValue("x", forKey: "draft")
    try stack.context.save()
  }

  @Test("VAL-9 a save that fails leaves context and store as they were")
  func val9() throws {
    let stack = try LibraryStack(NSSQLiteStoreType, model: Form.model())
    let (form, gone) = (stack.make("Form", Form.valid), stack.make("Form", Form.valid))
    try stack.context.save()
    let new = stack.make("Form", Form.valid)
    form.setValue(11, forKey: "count")
    // Not valid for an update, but deleted.
    gone.setValue(11, forKey: "count")
    stack.context.delete(gone)
    #expect(rules { try stack.context.save() } == ["count 1610"])
    #expect(stack.context.insertedObjects == [new] && stack.context.updatedObjects == [form])
    #expect(stack.context.deletedObjects == [gone] && new.objectID.isTemporaryID)
    #expect(form.value(forKey: "count") as? Int == 11)
    #expect(try stack.reread("Form").map { $0.value(forKey: "count") as? Int } == [5, 5])
    form.setValue(6, forKey: "count")
    try stack.context.save()
    let counts = try stack.reread("Form").compactMap { $0.value(forKey: "count") as? Int }
    #expect(counts.sorted() == [5, 6])
  }
}

/// A model with a rule of every kind.
private enum Form {
  /// Values that meet every rule.
  static var valid: [String: Any] {
    [
      "name": "Momo", "count": 5, "code": "abc", "step": 2,
      "born": Date(timeIntervalSinceReferenceDate: 500),
    ]
  }

  static func model() throws -> NSManagedObjectModel {
    let form = Web.entity(
      "Form",
      attributes: [
        Web.attribute("name", .stringAttributeType),
        Web.attribute("count", .integer32AttributeType),
        Web.attribute("code", .stringAttributeType), Web.attribute("step", .integer64AttributeType),
        Web.attribute("born", .dateAttributeType), Web.attribute("link", .URIAttributeType),
        Web.attribute("draft", .stringAttributeType, isTransient: true),
      ]
    )
    let tag = Web.entity("Tag", attributes: [Web.attribute("name", .stringAttributeType)])
    form.attributesByName["name"]?.isOptional = false
    let count = form.attributesByName["count"]
    count?.minimum = .int(0)
    count?.maximum = .int(10)
    let code = form.attributesByName["code"]
    code?.minimum = .int(2)
    code?.maximum = .int(10)
    code?.pattern = "[ a-zA-Z]*"
    let born = form.attributesByName["born"]
    born?.minimum = .date(0)
    born?.maximum = .date(1000)
    let tags = Web.many(form, "tags", tag)
    tags.minCount = 2
    tags.maxCount = 3
    tags.deleteRule = .denyDeleteRule
    Web.link(tags, Web.one(tag, "form", form))
    _ = Web.one(form, "owner", tag)
    let model = NSManagedObjectModel()
    model.entities = [form, tag]
    return model
  }
}

private enum FormError {
  static let own = NSError(domain: "Form", code: 9000)
}

/// Checks one property by hand, and trims it.
private final class CheckedForm: NSManagedObject {
  override class var validators: [String: Validator] {
    [
      "code": { _, value in
        guard let code = value as? String else { return }
        if code == "bad" { throw CocoaError(.validationStringPatternMatching) }
        value = code.trimmingCharacters(in: .whitespaces)
      }
    ]
  }
}

/// Adds an error of its own to those of the model.
private final class StrictForm: NSManagedObject {
  override func validateForInsert() throws {
    var errors = [FormError.own]
    do {
      try super.validateForInsert()
    } catch {
      errors.append(error as NSError)
    }
    throw NSError(
      domain: NSCocoaErrorDomain,
      code: NSValidationMultipleErrorsError,
      userInfo: [NSDetailedErrorsKey: errors]
    )
  }
}

private final class CheckLog { var entries: [String] = [] }

/// Tells its context's log when it is checked.
private final class Checked: NSManagedObject {
  private func note(_ event: String) {
    let name = value(forKey: "name") as? String ?? ""
    (managedObjectContext?.userInfo["log"] as? CheckLog)?.entries.append("\(event) \(name)")
  }
  override func willSave() { note("willSave") }
  override func validateForInsert() throws {
    note("insert")
    try super.validateForInsert()
  }
  override func validateForUpdate() throws {
    note("update")
    let parent = value(forKey: "parent") as? NSManagedObject
    let log = managedObjectContext?.userInfo["log"] as? CheckLog
    if let last = log?.entries.popLast() {
      log?.entries.append(last + " parent \(parent.map { "\($0.objectID)" } ?? "nil")")
    }
    try super.validateForUpdate()
  }
  override func validateForDelete() throws {
    note("delete")
    try super.validateForDelete()
  }
}
