// SPDX-License-Identifier: Apache-2.0

/// A module of Apple's systems that Linux does not have.
struct AppleModule {
  let name: String
  /// The prefixes of the names that the module declares; `declares(_:)` decides what can follow a prefix.
  let prefixes: [String]
  /// Further names that the module declares.
  let names: Set<String>
  /// Whether a type that inherits from one of the module's types is part of a user interface.
  let isInterface: Bool
  /// The advice for a source that uses the module and therefore must be changed by hand.
  let advice: String

  /// Returns whether all of the names are Combine's, so that OpenCombine can stand in for the module.
  func hasStandIn(for names: [String]) -> Bool {
    (name == "Combine" || name == "SwiftUI") && names.allSatisfy(Self.combineNames.contains)
  }

  /// The operators of Combine, and their types, that OpenCombine 0.14 lacks.
  static let absentOperators: Set<String> = [
    "combineLatest", "CombineLatest", "CombineLatest3", "CombineLatest4", "Merge", "Merge3",
    "Merge4", "MergeMany",
    "CollectByTime",
  ]

  private init(
    _ name: String,
    prefixes: String = "",
    names: String = "",
    isInterface: Bool = false,
    advice: String? = nil
  ) {
    self.name = name
    self.prefixes = prefixes.split(separator: " ").map(String.init)
    self.names = Set(names.split(whereSeparator: \.isWhitespace).map(String.init))
    self.isInterface = isInterface
    self.advice =
      advice ?? "put the import and the code that uses \(name) inside #if canImport(\(name))"
  }

  /// Returns the module with the name; nil if the table of modules does not contain it.
  static func named(_ name: String) -> AppleModule? { byName[name] }

  /// Returns whether the module declares a name, judged by `names` and `prefixes`.
  func declares(_ identifier: String) -> Bool {
    if names.contains(identifier) { return true }
    if Self.ofFoundation.contains(identifier) { return false }
    return prefixes.contains { prefix in
      guard identifier.hasPrefix(prefix) else { return false }
      guard let next = identifier.utf8.dropFirst(prefix.utf8.count).first else { return false }
      return prefix.hasPrefix("NS") || prefix.hasSuffix("_") || next >= 65 && next <= 90
        || next == 95 || next >= 48 && next <= 57
    }
  }

  /// Returns whether a type that inherits from the named type is part of a user interface.
  func isInterfaceType(_ name: String) -> Bool {
    isInterface && name != "ObservableObject" && declares(name)
  }

  /// Names that have one of the prefixes, but that Foundation on Linux or Core Data declares.
  private static let ofFoundation: Set<String> = [
    "CGFloat", "CGPoint", "CGSize", "CGRect", "NSTextCheckingResult",
  ]

  private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  private static let drawing = "UI CG CA CI NSLayout NSParagraphStyle NSMutableParagraphStyle"
  private static let desktop = """
    NSApp NSView NSWindow NSColor NSFont NSImage NSTable NSOutline NSArrayController NSObjectController \
    NSTreeController NSDocument NSMenu NSButton NSText NSAlert NSEvent NSResponder NSWorkspace NSPasteboard \
    NSControl NSCell NSStack NSSplit NSToolbar NSCollection NSBezier NSCursor NSScreen NSPanel NSOpenPanel \
    NSSavePanel NSPersistentDocument NSStoryboard NSNib NSPopover NSSlider NSStatus NSBitmap NSGraphics \
    NSSharing NSLayout NSParagraphStyle NSMutableParagraphStyle CG CA CI
    """
  private static let combine = """
    Publisher AnyPublisher Publishers Subscriber AnySubscriber Subscribers Subscription AnyCancellable \
    Cancellable PassthroughSubject CurrentValueSubject Subject Just Future Deferred Empty Fail Published \
    ObservableObject ObservableObjectPublisher objectWillChange ConnectablePublisher eraseToAnyPublisher sink \
    combineLatest CombineLatest CombineLatest3 CombineLatest4 Merge Merge3 Merge4 MergeMany CollectByTime
    """
  private static let combineNames = Set(combine.split(separator: " ").map(String.init))
  private static let swiftUI = """
    View Text Image Color List Form Button NavigationView NavigationStack NavigationLink VStack HStack ZStack \
    ForEach State StateObject ObservedObject EnvironmentObject Environment Binding FetchRequest \
    SectionedFetchRequest FetchedResults EnvironmentKey EnvironmentValues PreviewProvider Preview ViewModifier \
    ViewBuilder App Scene WindowGroup AppStorage SceneStorage Published ObservableObject withAnimation \
    LocalizedStringKey Bindable
    """

  private static let all: [AppleModule] = [
    AppleModule("UIKit", prefixes: drawing, isInterface: true),
    AppleModule("AppKit", prefixes: desktop, isInterface: true),
    AppleModule("Cocoa", prefixes: desktop, isInterface: true),
    AppleModule("WatchKit", prefixes: "WK UI CG", isInterface: true),
    AppleModule("TVUIKit", prefixes: "TV UI CG", isInterface: true),
    AppleModule("SwiftUI", prefixes: "UI NSView NSHosting CG", names: swiftUI, isInterface: true),
    AppleModule("Combine", names: combine),
    AppleModule("CloudKit", prefixes: "CK NSPersistentCloudKit"),
    AppleModule("os", prefixes: "os_ OS", names: "Logger", advice: logging("os")),
    AppleModule("OSLog", prefixes: "os_ OS", names: "Logger", advice: logging("OSLog")),
    AppleModule("CoreLocation", prefixes: "CL"),
    AppleModule("MapKit", prefixes: "MK CL"),
    AppleModule("CoreSpotlight", prefixes: "CS NSCoreDataCoreSpotlight"),
    AppleModule("CoreGraphics", prefixes: "CG"),
    AppleModule("QuartzCore", prefixes: "CA CG"),
    AppleModule("CoreImage", prefixes: "CI CG"),
    AppleModule("CoreText", prefixes: "CT CG"),
    AppleModule("CoreServices", prefixes: "kUT UT LS"),
    AppleModule("MobileCoreServices", prefixes: "kUT UT"),
    AppleModule("UniformTypeIdentifiers", prefixes: "UT"),
    AppleModule("AVFoundation", prefixes: "AV CM"),
    AppleModule("Photos", prefixes: "PH"),
    AppleModule("Contacts", prefixes: "CN"),
    AppleModule("EventKit", prefixes: "EK"),
    AppleModule("HealthKit", prefixes: "HK"),
    AppleModule("StoreKit", prefixes: "SK"),
    AppleModule("UserNotifications", prefixes: "UN"),
    AppleModule("WatchConnectivity", prefixes: "WC"),
    AppleModule("LocalAuthentication", prefixes: "LA"),
    AppleModule("WidgetKit", names: "Widget WidgetCenter TimelineProvider TimelineEntry Timeline"),
    AppleModule("Intents", prefixes: "IN"),
    AppleModule(
      "CryptoKit",
      names: "SHA256 SHA384 SHA512 Insecure HMAC AES SymmetricKey Curve25519 P256 ChaChaPoly",
      advice:
        "write #if canImport(CryptoKit) … #else, with import Crypto (swift-crypto) in the second part"
    ),
    AppleModule("ObjectiveC", prefixes: "objc_ class_ method_ object_ sel_ protocol_"),
    AppleModule("Darwin", prefixes: "mach_ os_ OS"),
  ]

  private static func logging(_ name: String) -> String {
    "put the import and the logging inside #if canImport(\(name)), or log with swift-log"
  }
}
