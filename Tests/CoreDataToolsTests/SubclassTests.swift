// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Classes that programs subclass with state of their own; each compiles without a warning.
@Suite struct SubclassTests {
  private final class CountingPolicy: NSMergePolicy {
    var resolved = 0
    override func resolve(mergeConflicts list: [Any]) throws {
      resolved += 1
      try super.resolve(mergeConflicts: list)
    }
  }

  private final class CountingTransformer: NSSecureUnarchiveFromDataTransformer {
    var asked = 0
    override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      asked += 1
      return super.reverseTransformedValue(value)
    }
  }

  @Test("Policies and transformers are subclassed without a word about Sendable")
  func subclasses() throws {
    let name = NSValueTransformerName("Counting")
    ValueTransformer.setValueTransformer(CountingTransformer(), forName: name)
    let transformer = try #require(ValueTransformer.named(name) as? CountingTransformer)
    let data = try #require(transformer.reverseTransformedValue(["a"]) as? Data)
    #expect(transformer.transformedValue(data) as? [String] == ["a"])
    #expect(transformer.asked == 1)
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer.named(name) == nil)
    let context = NSManagedObjectContext(.privateQueue)
    let policy = CountingPolicy(merge: .overwriteMergePolicyType)
    context.mergePolicy = policy
    try policy.resolve(mergeConflicts: [])
    #expect((context.mergePolicy as? CountingPolicy)?.resolved == 1)
  }
}
