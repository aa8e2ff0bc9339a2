// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Raw values of an Integer 16 attribute.
enum Kind: Int16 { case book, record, film }
/// Raw values of a String attribute.
enum Mood: String { case calm, loud }

extension Item {
  @NSManaged var kind: Kind
  @NSManaged private(set) var mood: Mood?
  @NSManaged private var primitiveTitle: String?

  func calm() { mood = .calm }

  /// Sets the title without recording a change.
  func setTitleSilently(_ title: String) { primitiveTitle = title + (primitiveTitle ?? "") }
}

final class SpecialItem: Item {
  @NSManaged var discount: Float
}

/// A type around a class.
public enum Shop {
  /// A nested class, which models name without the type around it.
  public class Order: NSManagedObject {
    @NSManaged var number: Int64
    @NSManaged var placed: NSDate?
    @NSManaged var item: Item?
  }
}

/// A class with another name in the model, as Objective-C names it.
#if canImport(ObjectiveC)
@objc(XYZStep)
#endif
public final class Step: NSManagedObject {
  @NSManaged var text: String
  @NSManaged var item: Item
}
