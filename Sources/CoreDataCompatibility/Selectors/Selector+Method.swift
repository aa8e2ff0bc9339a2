// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

extension Selector {
  /// Creates a selector that calls a method with one parameter.
  ///
  /// Not in Apple's framework. Linux has no Objective-C runtime that finds a method by its name, so the selector
  /// contains the method:
  ///
  /// ```swift
  /// #if canImport(ObjectiveC)
  /// let changed = #selector(Library.changed(_:))
  /// #else
  /// let changed = Selector("changed:", Library.changed(_:))
  /// #endif
  /// ```
  /// A call stops the program if the target or the argument does not have the type that the method expects.
  ///
  /// Source: this library's choice.
  public init<Target: AnyObject, Argument, Result>(
    _ name: String,
    _ method: @escaping (Target) -> (Argument) -> Result
  ) {
    let method = MethodReference(method)
    self.init(name) { target, argument in
      _ = method.call(MethodCall.target(target, name))(MethodCall.argument(argument, name))
    }
  }

  /// Creates a selector that calls a method without parameters.
  ///
  /// Not in Apple's framework. See `init(_:_:)` for methods with one parameter.
  ///
  /// Source: this library's choice.
  public init<Target: AnyObject, Result>(
    _ name: String,
    _ method: @escaping (Target) -> () -> Result
  ) {
    let method = MethodReference(method)
    self.init(name) { target, _ in _ = method.call(MethodCall.target(target, name))() }
  }

  /// Creates a selector that calls a `@MainActor` method with one parameter.
  ///
  /// Not in Apple's framework. A call on a thread other than the main thread stops the program, as on Apple's
  /// systems in Swift 6 mode.
  ///
  /// Source: this library's choice.
  public init<Target: AnyObject, Argument, Result>(
    _ name: String,
    _ method: @escaping (Target) -> @MainActor (Argument) -> Result
  ) {
    let method = MethodReference(method)
    self.init(name) { target, argument in
      let call = MainActorCall(method.call(MethodCall.target(target, name)), argument)
      MainActor.assumeIsolated { _ = call.method(MethodCall.argument(call.argument, name)) }
    }
  }

  /// Creates a selector that calls a `@MainActor` method without parameters.
  ///
  /// Not in Apple's framework. A call on a thread other than the main thread stops the program, as on Apple's
  /// systems in Swift 6 mode.
  ///
  /// Source: this library's choice.
  public init<Target: AnyObject, Result>(
    _ name: String,
    _ method: @escaping (Target) -> @MainActor () -> Result
  ) {
    let method = MethodReference(method)
    self.init(name) { target, _ in
      let call = MainActorCall(method.call(MethodCall.target(target, name)), nil)
      MainActor.assumeIsolated { _ = call.method() }
    }
  }

  private init(_ name: String, call: @escaping Method) { self.init(name, method: call) }
}

/// A reference to a method of a class, such as `Library.changed(_:)`.
private struct MethodReference<Method>: @unchecked Sendable {
  // Unchecked: a reference to a method captures nothing.
  let call: Method
  init(_ method: Method) { call = method }
}

/// A bound `@MainActor` method and its argument, for a call that stays on the calling thread.
private struct MainActorCall<Method>: @unchecked Sendable {
  // Unchecked: `MainActor.assumeIsolated` runs its body on the calling thread.
  let method: Method
  let argument: Any?
  init(_ method: Method, _ argument: Any?) {
    self.method = method
    self.argument = argument
  }
}

/// Converts the target and the argument of a call through a selector; a failed conversion stops the program.
private enum MethodCall {
  static func target<Target: AnyObject>(_ object: AnyObject, _ name: String) -> Target {
    guard let target = object as? Target else {
      fatalError(
        "-[\(type(of: object)) \(name)]: the selector requires a target of type \(Target.self)"
      )
    }
    return target
  }

  static func argument<Argument>(_ value: Any?, _ name: String) -> Argument {
    if let argument = value as? Argument { return argument }
    if let notification = value as? Notification {
      let object = NSNotification(
        name: notification.name,
        object: notification.object,
        userInfo: notification.userInfo
      )
      if let argument = object as? Argument { return argument }
    }
    fatalError(
      "the method “\(name)” expects an argument of type \(Argument.self), but the selector was called with "
        + (value.map { "a value of type \(type(of: $0))" } ?? "nil")
    )
  }
}
