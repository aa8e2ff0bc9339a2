// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import _CoreDataGraph

/// The content of a results controller as an observable object, for Swift's Observation.
///
/// Not in Apple's framework.
///
/// ```swift
/// let teams = ObservedResults(controller)
/// withObservationTracking {
///   show(teams.sections)
/// } onChange: {
///   Task { @MainActor in redraw() }
/// }
/// ```
/// This object observes the controller without being its delegate. Use the object on the queue of the
/// controller's context.
///
/// Source: this library's choice.
public final class ObservedResults<ResultType: NSFetchRequestResult>: Observable {
  /// The observed controller.
  public let controller: NSFetchedResultsController<ResultType>
  private let registrar = ObservationRegistrar()
  private let listener = Listener()

  /// Creates an observer of a controller, which need not have fetched.
  public init(_ controller: NSFetchedResultsController<ResultType>) {
    self.controller = controller
    listener.willChange = { [unowned self] in registrar.willSet(self, keyPath: \.objects) }
    listener.didChange = { [unowned self] in registrar.didSet(self, keyPath: \.objects) }
    controller.add(listener)
  }

  deinit { controller.remove(listener) }

  /// The objects in order; empty if the controller has no content.
  public var objects: [ResultType] {
    registrar.access(self, keyPath: \.objects)
    return controller.fetchedObjects ?? []
  }

  /// The sections in order; empty if the controller has no content.
  public var sections: [any NSFetchedResultsSectionInfo] {
    registrar.access(self, keyPath: \.objects)
    return controller.sections ?? []
  }

  /// The object of a row; stops the program if the path is outside the content, or if there is no content.
  public subscript(indexPath: IndexPath) -> ResultType {
    registrar.access(self, keyPath: \.objects)
    return controller.object(at: indexPath)
  }

  private final class Listener: ResultsListener {
    var willChange: () -> Void = {}
    var didChange: () -> Void = {}
    func contentWillChange() { willChange() }
    func contentWasFetched(by controller: NSFetchedResultsController<NSFetchRequestResult>) {
      didChange()
    }
    func contentDidChange(
      _ changes: ResultChanges,
      of controller: NSFetchedResultsController<NSFetchRequestResult>
    ) { didChange() }
    func identifiersDidChange(of controller: NSFetchedResultsController<NSFetchRequestResult>) {}
    func contentDidEnd() {}
  }
}
