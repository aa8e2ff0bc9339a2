// SPDX-License-Identifier: Apache-2.0

/// The declarations with which the generator is compared with the compiler: types, access levels, nested types,
/// extensions and functions.
enum MatrixSources {
  /// A stand-in for the library, which keeps values by name and is compiled in a second.
  static let library = """
    @_exported import Foundation
    open class NSManagedObjectID: NSObject {}
    open class _ManagedAccessors {
      open class var _managedClass: NSManagedObject.Type { NSManagedObject.self }
      open class var _slotNames: [String]? { nil }
      open class var _slotKinds: [UInt16] { [] }
      open class var _keyPathNames: [AnyKeyPath: String] { [:] }
    }
    open class NSManagedObject: NSObject {
      public var values: [String: Any] = [:]
      public func get<T>(_ key: StaticString) -> T? { values[key.description] as? T }
      public func put(_ value: Any?, _ key: StaticString) { values[key.description] = value }
      public func number<T: ExpressibleByIntegerLiteral>(_ key: StaticString) -> T { get(key) ?? 0 }
      public final func _slot(_ key: StaticString, _ kinds: UInt16) -> Int { -1 }
      public final func _required<T>(_ value: T?, _ key: StaticString) -> T { value! }
      public final func _read(_ s: Int, _ k: StaticString) -> Int16 { number(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> Int32 { number(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> Int64 { number(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> Double { number(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> Float { number(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> Bool { get(k) ?? false }
      public final func _read(_ s: Int, _ k: StaticString) -> String? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> Date? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> Data? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> UUID? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> URL? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> NSDecimalNumber? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> NSString? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> NSDate? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> NSData? { get(k) }
      public final func _read(_ s: Int, _ k: StaticString) -> NSURL? { get(k) }
      public final func _readInteger<T: FixedWidthInteger>(_ s: Int, _ k: StaticString) -> T { number(k) }
      public final func _readNumber(_ s: Int, _ k: StaticString) -> NSNumber? { get(k) }
      public final func _readDecimal(_ s: Int, _ k: StaticString) -> Decimal? { get(k) }
      public final func _readSet(_ s: Int, _ k: StaticString) -> NSSet? { get(k) }
      public final func _readOrderedSet(_ s: Int, _ k: StaticString) -> NSOrderedSet? { get(k) }
      public final func _readMembers<T: NSManagedObject>(_ s: Int, _ k: StaticString) -> Set<T> { get(k) ?? [] }
      public final func _readObjects<T: NSManagedObject>(_ s: Int, _ k: StaticString) -> [T]? { get(k) }
      public final func _readReference<T: NSManagedObject>(_ s: Int, _ k: StaticString) -> T? { get(k) }
      public final func _readAnything(_ s: Int, _ k: StaticString) -> Any? { values[k.description] }
      public final func _readTransformable<T>(_ s: Int, _ k: StaticString) -> T? { get(k) }
      public final func _readRawValue<T: RawRepresentable>(_ s: Int, _ k: StaticString) -> T? {
        (get(k) as T.RawValue?).flatMap(T.init(rawValue:))
      }
      public final func _readRequiredRawValue<T: RawRepresentable>(_ s: Int, _ k: StaticString) -> T {
        T(rawValue: get(k)!)!
      }
      public final func _writeRawValue<T: RawRepresentable>(_ v: T?, _ s: Int, _ k: StaticString) {
        put(v?.rawValue, k)
      }
      public final func _write(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeInteger(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeNumber(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeDecimal(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeSet(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeOrderedSet(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeMembers(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeObjects(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeReference(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeAnything(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _writeTransformable(_ v: Any?, _ s: Int, _ k: StaticString) { put(v, k) }
      public final func _add(_ v: Any, _ s: Int, _ k: StaticString) { put("added", k) }
      public final func _remove(_ v: Any, _ s: Int, _ k: StaticString) { put("removed", k) }
      public final func _insert(_ v: Any, at i: Any, _ s: Int, _ k: StaticString) { put("inserted", k) }
      public final func _removeObject(at i: Int, _ s: Int, _ k: StaticString) { put("removed", k) }
      public final func _replace(at i: Any, with v: Any, _ s: Int, _ k: StaticString) { put("replaced", k) }
    }
    """

  /// Types of properties.
  static let types = ##"""
    import Foundation
    import CoreData

    enum Level: Int16 { case low, high }
    enum Mood: String { case good, bad }
    struct Money { var cents: Int = 0 }
    typealias Texts = [String]
    @propertyWrapper struct Clamped { var wrappedValue: Int }
    typealias Moment = Date
    protocol Tagged {}
    enum Shop {
      struct Price { enum Unit: Int32 { case euro, cent } }
      class Till: NSManagedObject {
        enum State: Int16 { case open, closed }
        @NSManaged var state: State
        @NSManaged var unit: Price.Unit
        @NSManaged var till: Till?
        @NSManaged var tills: Set<Till>
      }
    }
    struct Box<Content> { var content: Content }
    final class Pair<A, B>: NSObject {}
    extension String { class Holder: NSManagedObject { @NSManaged var text: String? } }
    """##

  /// A class with properties of every type.
  static let item = ##"""
    import CoreData
    import Foundation

    /* a /* nested */ comment with @NSManaged var no: Int */
    public class Item: NSManagedObject {
      let text = "a \("b" + "}") { @NSManaged var no: String"
      let raw = #"raw " \( } "#
      let many = """
        @NSManaged var no: String? { "
        """
      let regex = try? NSRegularExpression(pattern: "}")
      @Clamped var clamped = 3
      lazy var computedLater: [String: () -> Int] = ["}": { 1 }]
      @NSManaged public var title: String?
      @NSManaged var subtitle: String
      @NSManaged var implicit: String!
      @NSManaged public var date: Date?
      @NSManaged var created: Date, modified: Date
      @NSManaged var x, y: Double
      @NSManaged var data: Data?
      @NSManaged var uuid: UUID?
      @NSManaged var url: URL?
      @NSManaged var i16: Int16
      @NSManaged var i32: Int32
      @NSManaged var i64: Int64
      @NSManaged var int: Int
      @NSManaged var byte: UInt8
      @NSManaged var double: Double
      @NSManaged var float: Float
      @NSManaged var flag: Bool
      @NSManaged var interval: TimeInterval
      @NSManaged var decimal: Decimal
      @NSManaged var decimalOptional: Decimal?
      @NSManaged var decimalNumber: NSDecimalNumber?
      @NSManaged var number: NSNumber?
      @NSManaged var numberRequired: NSNumber
      @NSManaged var items: NSSet?
      @NSManaged var itemsRequired: NSSet
      @NSManaged var typed: Set<Item>?
      @NSManaged var typedRequired: Set<Item>
      @NSManaged var ordered: NSOrderedSet?
      @NSManaged var array: [Item]
      @NSManaged var fetched: [Item]?
      @NSManaged var parent: Item?
      @NSManaged var parentRequired: Item
      @NSManaged var other: Other?
      @NSManaged var object: NSObject?
      @NSManaged var nsDate: NSDate?
      @NSManaged var nsData: NSData?
      @NSManaged var nsString: NSString?
      @NSManaged var nsURL: NSURL?
      @NSManaged var nsArray: NSArray?
      @NSManaged var dictionary: [String: Any]?
      @NSManaged var nested: [String: [Int]]
      @NSManaged var strings: [String]?
      @NSManaged var alias: Texts
      @NSManaged var moment: Moment?
      @NSManaged var level: Level
      @NSManaged var mood: Mood
      @NSManaged var moodOptional: Mood?
      @NSManaged var money: Money?
      @NSManaged var unit: Shop.Price.Unit
      @NSManaged var any: Any?
      @NSManaged var coding: NSCoding?
      @NSManaged var tagged: any Tagged
      @NSManaged var tags: [any Tagged]
      @NSManaged var box: Box<Int>?
      @NSManaged var boxes: [Box<[Item]>]
      @NSManaged var pair: Pair<String, Item>?
      @NSManaged var objectID2: NSManagedObjectID?
      @NSManaged var qualified: Foundation.Date?
      @NSManaged var swiftString: Swift.String?
      @NSManaged var color: NSAttributedString?
      @NSManaged var set: Set<String>
      @NSManaged var sets: Set<Set<String>>
      @NSManaged var indexSet: IndexSet?
      @NSManaged var point: CGPoint
      @NSManaged var size: CGFloat
      @NSManaged var range: Range<Int>?
      @NSManaged var doubleOptional: Optional<String>
      @NSManaged var longTuple: [String: [String: [String: String]]]
      @NSManaged var `default`: String?
      @NSManaged var größe: String?
      @NSManaged var 名前: String?
      @NSManaged var Item: String?
      @NSManaged var itemTitle: String?
      @NSManaged public private(set) var readOnly: String?
      @NSManaged public internal(set) var halfOpen: Int16
      @NSManaged private var secret: String?
      @NSManaged fileprivate var hidden: Date?
      @NSManaged internal var internalOne: Date?
      @NSManaged package var packaged: Date?
      #if os(Linux)
      @NSManaged var linux: String?
      #else
      @NSManaged var apple: UIColor?
      #endif
      #if DEBUG
      @NSManaged var debug: String?
      #endif
      @NSManaged func addToItems(_ value: Item)
      @NSManaged public func addToItems(_ values: NSSet)
      @NSManaged func insertIntoOrdered(_ value: Item, at idx: Int)
      @NSManaged func removeFromOrdered(at idx: Int)
      @NSManaged func insertIntoOrdered(_ values: [Item], at indexes: NSIndexSet)
      @NSManaged func replaceOrdered(at idx: Int, with value: Item)
      @NSManaged func replaceOrdered(at indexes: NSIndexSet, with values: [Item])
      @NSManaged func addToTyped(_ values: Set<Item>)
      @NSManaged private func removeFromItems(_ value: Item)
      func useSecret() { secret = nil; hidden = nil; removeFromItems(self); _ = secret; _ = hidden }
    }
    """##

  /// Other classes, extensions and nested classes.
  static let others = ##"""
    import CoreData

    open class Other: NSManagedObject {
      @NSManaged open var title: String?
      @NSManaged final var sealed: String?
      @NSManaged internal(set) public var half: Int64
      @NSManaged private var own: String?
      @NSManaged var internalType: Level
      @NSManaged public var items: Set<Item>
      @NSManaged var children: Set<Other.Child>
      class Child: Other { @NSManaged var toy: String?; @NSManaged var child: Child? }
      class Data: NSManagedObject { @NSManaged var data: Data?; @NSManaged var bytes: Foundation.Data? }
    }
    extension Other {
      @NSManaged public var inExtension: String?
      @NSManaged var inExtensionDate: Date
    }
    public extension Other {
      @NSManaged var publicExtension: String?
      @NSManaged func addToItems(_ value: Item)
    }
    private extension Other {
      @NSManaged var privateExtension: String?
    }
    extension Other.Child {
      @NSManaged var inChild: Shop.Till?
      @NSManaged var linked: Other?
    }
    final class Final: Other {
      @NSManaged var item: Item, other: Other?, last: Final?
    }
    extension NSManagedObject {
      @NSManaged var everywhere: String?
    }
    extension Shop { final class Nested: NSManagedObject { @NSManaged var price: Int64 } }
    func use(_ o: Other, _ c: Other.Child, _ m: NSManagedObject, _ i: Item) {
      o.inExtension = o.inExtension; o.inExtensionDate = o.inExtensionDate; o.publicExtension = o.publicExtension
      o.privateExtension = o.privateExtension; c.inChild = c.inChild; c.linked = c.linked; m.everywhere = m.everywhere
      o.addToItems(i)
      let f = c as Any as! Final; f.item = f.item; f.other = f.other; f.last = f.last
      let n = c as Any as! Shop.Nested; n.price = n.price
    }
    """##

  /// Reads and sets properties of the matrix.
  static let program = ##"""
    import CoreData

    @main struct Program {
      static func main() {
        let item = Item(), other = Other.Child()
        item.title = "a"; item.title?.append("b"); item.subtitle = item.title ?? ""
        item.i16 += 5; item.i16 += 1; item.int = 7; item.byte += 200; item.flag.toggle(); item.float = 1.5
        item.date = Date(timeIntervalSinceReferenceDate: 3); item.created = item.date ?? .distantPast
        item.decimal += 2.5; item.typedRequired.insert(item); item.array.append(item)
        item.nested["x", default: []].append(1); item.level = .high; item.mood = .bad; item.money = Money(cents: 5)
        item.tags = []; item.set = ["s"]; item.parent = item; item[keyPath: \Item.größe] = "g"
        item.other = other; item.other?.title = "o"; item.default = "d"; item.useSecret()
        print(item.title!, item.subtitle, item.i16, item.int, item.byte, item.flag, item.float, item.decimal)
        print(item.date!.timeIntervalSinceReferenceDate, item.typedRequired.count, item.array.count, item.nested)
        print(item.level, item.mood, item.moodOptional as Any, item.money!.cents, item.set, item.parent === item)
        print(item.größe!, item.other!.title!, item.default!, item.linux as Any, item.any as Any)
        item.addToItems(item); print(item.values["items"]!); item.addToItems(NSSet())
        item.insertIntoOrdered(item, at: 0); print(item.values["ordered"]!); item.removeFromOrdered(at: 0)
        item.replaceOrdered(at: 0, with: item); print(item.values["ordered"]!); item.addToTyped([item])
        other.inChild = Shop.Till(); other.inChild?.state = .closed; print(other.inChild!.state, other.inChild!.tills)
        other.inExtension = "e"; other.everywhere = "v"; print(other.inExtension!, other.everywhere!)
        item.values = [:]; other.values = [:]
      }
    }
    """##

  static let printed = """
    ab ab 6 7 200 true 1.5 2.5
    3.0 1 1 ["x": [1]]
    high bad nil 5 ["s"] true
    g o d nil nil
    added
    inserted
    replaced
    closed []
    e v

    """

  /// Classes of a dynamic library, one of which has subclasses in other modules.
  static let dynamicLibrary = ##"""
    import CoreData
    open class Base: NSManagedObject {
      @NSManaged public var title: String?
      @NSManaged open var count: Int16
      @NSManaged public internal(set) var half: Int64
      @NSManaged package var pkg: Date?
      @NSManaged public func addToItems(_ value: Base)
      public func setHalf(_ v: Int64) { half = v }
    }
    extension Base { @NSManaged public var ext: Set<Base> }
    public final class Fin: Base { @NSManaged public var last: Double }
    """##

  /// A program with a subclass and an extension of a class of the library.
  static let client = ##"""
    import CoreData
    import Lib

    class Sub: Base {
      @NSManaged var own: String?
      override var count: Int16 {
        get { 40 + super.count }
        set { super.count = newValue }
      }
    }
    extension Base { @NSManaged var fromApp: Lib.Fin? }
    @main struct Main {
      static func main() {
        let sub = Sub(), fin = Fin()
        sub.title = "t"; sub.count = 2; sub.setHalf(5); sub.pkg = Date(timeIntervalSinceReferenceDate: 1)
        sub.addToItems(sub); sub.ext.insert(sub); sub.own = "o"; sub.fromApp = fin
        fin.last += 2.5; fin.title = "f"; fin.title?.append("!")
        let path: ReferenceWritableKeyPath<Base, String?> = \.title
        sub[keyPath: path]?.append("k")
        print(sub.title!, sub.count, sub.half, sub.pkg!.timeIntervalSinceReferenceDate, sub.ext.count)
        print(sub.own!, fin.last, fin.title!, sub.fromApp!.last)
        sub.values = [:]
      }
    }
    """##

  static let printedByClient = "tk 42 5 1.0 1\no 2.5 f! 2.5\n"

  static let files = [("Types.swift", types), ("Item.swift", item), ("Others.swift", others)]
}
