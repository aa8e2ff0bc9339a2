// SPDX-License-Identifier: Apache-2.0

/// The types of the standard library, Foundation and Core Data, each with the module that declares the type
/// on Linux.
///
/// A symbol contains the module that declares the type: `FoundationEssentials` for `Date`, and `Foundation`
/// for `NSDate`.
/// A test compares the table with the compiler.
///
/// Source: observed, the modules of Swift 6.3 for Linux.
package enum SystemTypes {
  /// A group of types of one kind that one module declares.
  package struct Group: Sendable {
    /// The module that a source imports to use the types.
    package let visibleIn: String
    /// The module that declares the types.
    package let module: String
    package let kind: NominalType.Kind
    package let genericCount: Int
    package let names: String
  }

  /// Returns the type with that name; nil if the table does not contain it.
  ///
  /// `module` is the module that declares the type, or through which a source imports it; nil matches every
  /// module.
  static func type(named name: String, in module: String? = nil) -> NominalType? {
    let group = byName[name]?.first {
      module == nil || groups[$0].visibleIn == module || groups[$0].module == module
    }.map { groups[$0] }
    guard let group else { return nil }
    return NominalType(
      module: group.module,
      name: name,
      kind: group.kind,
      genericCount: group.genericCount
    )
  }

  /// Name of a type alias → name of the aliased type.
  static let aliases: [String: String] = [
    "TimeInterval": "Double", "NSPoint": "CGPoint", "NSSize": "CGSize", "NSRect": "CGRect",
    "unichar": "UInt16", "Float32": "Float", "Float64": "Double", "CBool": "Bool", "CChar": "Int8",
    "CInt": "Int32", "CUnsignedInt": "UInt32", "CLong": "Int", "CUnsignedLong": "UInt",
    "CLongLong": "Int64", "CUnsignedLongLong": "UInt64", "CShort": "Int16",
    "CUnsignedShort": "UInt16", "CFloat": "Float", "CDouble": "Double",
  ]

  /// The indexes of the groups in which a name occurs.
  private static let byName: [String: [Int]] = {
    var table: [String: [Int]] = [:]
    for (index, group) in groups.enumerated() {
      for name in group.names.split(whereSeparator: \.isWhitespace) {
        table[String(name), default: []].append(index)
      }
    }
    return table
  }()

  /// The groups, in the order in which a name is looked up.
  package static let groups: [Group] = [
    Group(
      visibleIn: "CoreData",
      module: "CoreData",
      kind: .class,
      genericCount: 0,
      names: """
        NSAttributeDescription NSBatchDeleteRequest NSBatchInsertRequest NSBatchUpdateRequest
        NSComparisonPredicate NSEntityDescription NSEntityMapping NSExpression NSFetchedPropertyDescription
        NSManagedObject NSManagedObjectContext NSManagedObjectID NSManagedObjectModel NSMappingModel
        NSMergePolicy NSPersistentContainer NSPersistentHistoryToken NSPersistentStore
        NSPersistentStoreCoordinator NSPersistentStoreDescription NSPropertyDescription
        NSQueryGenerationToken NSRelationshipDescription UndoManager ValueTransformer
        """
    ),
    Group(
      visibleIn: "CoreData",
      module: "CoreData",
      kind: .class,
      genericCount: 1,
      names: """
        NSFetchRequest NSFetchedResultsController
        """
    ),
    Group(
      visibleIn: "CoreData",
      module: "CoreData",
      kind: .enum,
      genericCount: 0,
      names: """
        NSAttributeType NSDeleteRule NSFetchedResultsChangeType
        """
    ),
    Group(
      visibleIn: "CoreData",
      module: "CoreData",
      kind: .struct,
      genericCount: 0,
      names: """
        Selector
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .struct,
      genericCount: 0,
      names: """
        AnyHashable Bool Character Double Duration Float Float16 Int Int128 Int16 Int32 Int64 Int8
        ObjectIdentifier OpaquePointer StaticString String Substring UInt UInt128 UInt16 UInt32 UInt64 UInt8
        UnsafeMutableRawBufferPointer UnsafeMutableRawPointer UnsafeRawBufferPointer UnsafeRawPointer
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .struct,
      genericCount: 1,
      names: """
        AnyCollection AnySequence Array ArraySlice ClosedRange CollectionOfOne ContiguousArray
        PartialRangeFrom PartialRangeThrough PartialRangeUpTo Range Set Unmanaged UnsafeBufferPointer
        UnsafeMutableBufferPointer UnsafeMutablePointer UnsafePointer
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .struct,
      genericCount: 2,
      names: """
        Dictionary KeyValuePairs
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .enum,
      genericCount: 0,
      names: """
        Never
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .enum,
      genericCount: 1,
      names: """
        Optional
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .enum,
      genericCount: 2,
      names: """
        Result
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .class,
      genericCount: 0,
      names: """
        AnyKeyPath
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .class,
      genericCount: 1,
      names: """
        PartialKeyPath
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .class,
      genericCount: 2,
      names: """
        KeyPath
        """
    ),
    Group(
      visibleIn: "Swift",
      module: "Swift",
      kind: .protocol,
      genericCount: 0,
      names: """
        BinaryFloatingPoint BinaryInteger CaseIterable CodingKey Collection Comparable
        CustomDebugStringConvertible CustomStringConvertible Decodable Encodable Equatable Error
        FixedWidthInteger FloatingPoint Hashable Identifiable Numeric OptionSet RawRepresentable Sendable
        Sequence SetAlgebra SignedInteger Strideable StringProtocol UnsignedInteger
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "Foundation",
      kind: .struct,
      genericCount: 0,
      names: """
        AffineTransform AlignmentOptions CGFloat CGPoint CGRect CGSize CharacterSet IndexSet Morphology
        NSAffineTransformStruct NSBinarySearchingOptions NSEdgeInsets NSEnumerationOptions NSExceptionName
        NSIndexSetIterator NSSortOptions NSTextCheckingKey NSZone Notification ObjCBool PersonNameComponents
        ProgressKind ProgressUserInfoKey StreamNetworkServiceTypeValue StreamSOCKSProxyConfiguration
        StreamSOCKSProxyVersion StreamSocketSecurityLevel StringTransform URLError URLFileResourceType
        URLResourceKey URLResourceValues
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "Foundation",
      kind: .class,
      genericCount: 0,
      names: """
        BlockOperation Bundle ByteCountFormatter DateFormatter DateIntervalFormatter Dimension
        EnergyFormatter FileHandle Formatter Host ISO8601DateFormatter InputStream JSONSerialization
        LengthFormatter MassFormatter NSAffineTransform NSArray NSAttributedString NSCalendar NSCharacterSet
        NSCoder NSComparisonPredicate NSCompoundPredicate NSCondition NSConditionLock NSCountedSet NSData
        NSDate NSDateComponents NSDateInterval NSDecimalNumber NSDecimalNumberHandler NSDictionary
        NSEnumerator NSError NSExpression NSIndexPath NSIndexSet NSKeyedArchiver NSKeyedUnarchiver NSLocale
        NSLock NSMeasurement NSMutableArray NSMutableAttributedString NSMutableCharacterSet NSMutableData
        NSMutableDictionary NSMutableIndexSet NSMutableOrderedSet NSMutableSet NSMutableString
        NSNotification NSNull NSNumber NSObject NSOrderedSet NSOrthography NSPersonNameComponents
        NSPredicate NSRecursiveLock NSRegularExpression NSSet NSSortDescriptor NSString NSTextCheckingResult
        NSTimeZone NSURL NSURLComponents NSURLQueryItem NSUUID NSValue NotificationQueue NumberFormatter
        Operation OperationQueue OutputStream PersonNameComponentsFormatter Pipe Port PortMessage Process
        Progress PropertyListSerialization RunLoop Scanner SocketPort Stream Thread Timer Unit
        UnitAcceleration UnitAngle UnitArea UnitConcentrationMass UnitConverter UnitConverterLinear
        UnitDispersion UnitDuration UnitElectricCharge UnitElectricCurrent UnitElectricPotentialDifference
        UnitElectricResistance UnitEnergy UnitFrequency UnitFuelEfficiency UnitIlluminance
        UnitInformationStorage UnitLength UnitMass UnitPower UnitPressure UnitSpeed UnitTemperature
        UnitVolume UserDefaults
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "Foundation",
      kind: .enum,
      genericCount: 0,
      names: """
        CGRectEdge InflectionRule NSRectEdge QualityOfService
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "Foundation",
      kind: .protocol,
      genericCount: 0,
      names: """
        CustomNSError NSCacheDelegate NSCoding NSCopying NSDecimalNumberBehaviors NSKeyedArchiverDelegate
        NSKeyedUnarchiverDelegate NSLocking NSMutableCopying NSObjectProtocol NSSecureCoding PortDelegate
        ProgressReporting RecoverableError ReferenceConvertible StreamDelegate
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "Foundation",
      kind: .struct,
      genericCount: 1,
      names: """
        Measurement
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "Foundation",
      kind: .class,
      genericCount: 2,
      names: """
        NSCache
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationEssentials",
      kind: .struct,
      genericCount: 0,
      names: """
        AttributeContainer AttributeScopeCodableConfiguration AttributedString AttributedSubstring Calendar
        CocoaError Data Date DateComponents DateInterval Decimal DiscontiguousAttributedSubstring
        FileAttributeKey FileAttributeType FileProtectionType IndexPath Locale OperatingSystemVersion
        POSIXError PredicateBindings PredicateError TimeZone URL URLComponents URLQueryItem UUID
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationEssentials",
      kind: .enum,
      genericCount: 0,
      names: """
        AttributeDynamicLookup AttributeScopes ComparisonResult PredicateExpressions SortOrder
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationEssentials",
      kind: .protocol,
      genericCount: 0,
      names: """
        AttributeScope AttributedStringAttributeMutation AttributedStringKey AttributedStringProtocol
        ContiguousBytes DataProtocol DecodableAttributedStringKey DecodableWithConfiguration
        DecodingConfigurationProviding DiscreteFormatStyle EncodableAttributedStringKey
        EncodableWithConfiguration EncodingConfigurationProviding FileManagerDelegate FormatStyle
        LocalizedError MarkdownDecodableAttributedStringKey MutableDataProtocol ParseStrategy
        ParseableFormatStyle PredicateExpression SortComparator StandardPredicateExpression
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationEssentials",
      kind: .struct,
      genericCount: 2,
      names: """
        CodableConfiguration Expression
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationEssentials",
      kind: .struct,
      genericCount: 1,
      names: """
        ComparableComparator Predicate ScopedAttributeContainer
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationEssentials",
      kind: .class,
      genericCount: 0,
      names: """
        FileManager JSONDecoder JSONEncoder NotificationCenter ProcessInfo PropertyListDecoder
        PropertyListEncoder
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationInternationalization",
      kind: .struct,
      genericCount: 0,
      names: """
        ByteCountFormatStyle FormatStyleCapitalizationContext StringStyle
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationInternationalization",
      kind: .enum,
      genericCount: 0,
      names: """
        CurrencyFormatStyleConfiguration DescriptiveNumberFormatConfiguration NumberFormatStyleConfiguration
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationInternationalization",
      kind: .struct,
      genericCount: 1,
      names: """
        FloatingPointFormatStyle FloatingPointParseStrategy IntegerFormatStyle IntegerParseStrategy
        KeyPathComparator SortDescriptor
        """
    ),
    Group(
      visibleIn: "Foundation",
      module: "FoundationInternationalization",
      kind: .struct,
      genericCount: 2,
      names: """
        ListFormatStyle
        """
    ),
  ]
}
