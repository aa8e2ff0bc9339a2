// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing
import _CoreDataSQLite

/// `docs/reference/behaviour.md` §14, asynchronous requests: one test for each rule.
@Suite struct AsynchronousFetchRules {
  /// Executes the request on the context's queue, and gives its result when it is done.
  private func done(
    _ shelf: Shelf,
    _ context: NSManagedObjectContext,
    _ change: @escaping @Sendable (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
  ) async throws -> (pages: [Int], error: (any Error)?) {
    try await withCheckedThrowingContinuation { continuation in
      context.perform {
        let request = NSAsynchronousFetchRequest(fetchRequest: shelf.request(nil, change)) {
          result in
          continuation.resume(
            returning: (Shelf.pages(result.finalResult ?? []), result.operationError)
          )
        }
        do {
          let result = try context.execute(request)
          let early = result as? NSAsynchronousFetchResult<NSManagedObject>
          #expect(early != nil && early?.finalResult == nil && early?.operationError == nil)
          #expect(early?.managedObjectContext === context && early?.fetchRequest === request)
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  @Test(
    "ASY-1 execute gives a result without content; the block is called when there is one",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType]
  )
  func asy1(type: String) async throws {
    let shelf = try Shelf(30, type)
    let done = try await done(shelf, shelf.reader())
    #expect(done.pages == Array(0..<30) && done.error == nil)
    let child = shelf.child(of: shelf.reader())
    let copies = try await self.done(shelf, child)
    #expect(copies.pages == Array(0..<30))
  }

  @Test("ASY-1 the block is called on the context's queue, also of a child, and of a failed fetch")
  func asy1Queue() async throws {
    await #expect(processExitsWith: .success) {
      // What is used off its queue stops the program.
      setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try LibraryStack()
      try stack.context.performAndWait {
        _ = stack.make("Book", ["title": "a"])
        try stack.context.save()
      }
      let child = NSManagedObjectContext(.privateQueue)
      child.parent = stack.context
      for context in [stack.context, stack.container.newBackgroundContext(), child] {
        for format in ["title == 'a'", "nothing == 1"] {
          let titles = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[String], any Error>) in
            context.perform {
              let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
              request.predicate = NSPredicate(format: format)
              let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                _ = context.registeredObjects
                let books = result.finalResult ?? []
                continuation.resume(returning: books.map { $0.text("title") ?? "" })
              }
              do {
                _ = try context.execute(asynchronous)
              } catch {
                continuation.resume(throwing: error)
              }
            }
          }
          if titles != (format == "title == 'a'" ? ["a"] : []) { exit(1) }
        }
      }
    }
  }

  @Test("ASY-1 the request has stores and expectations of its own, and copies have them")
  func asy1Settings() async throws {
    let shelf = try Shelf(3)
    let coordinator = shelf.stack.container.persistentStoreCoordinator
    let second = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType,
      configurationName: nil,
      at: nil
    )
    shelf.context.assign(shelf.stack.make("Book", ["pages": 9]), to: second)
    try shelf.context.save()
    let context = shelf.reader()
    for isCopied in [false, true] {
      let pages = try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<[Int], any Error>) in
        context.perform {
          var request = NSAsynchronousFetchRequest(fetchRequest: shelf.request()) { result in
            continuation.resume(returning: Shelf.pages(result.finalResult ?? []))
          }
          request.affectedStores = [second]
          request.estimatedResultCount = 7
          if isCopied, let copy = request.copy() as? NSAsynchronousFetchRequest<NSManagedObject> {
            request = copy
          }
          #expect(request.estimatedResultCount == 7)
          do { _ = try context.execute(request) } catch { continuation.resume(throwing: error) }
        }
      }
      #expect(pages == [9])
    }
  }

  @Test("ASY-1 errors of the request are thrown at once, errors of the store reach the block")
  func asy1Errors() async throws {
    let shelf = try Shelf(3)
    let context = shelf.reader()
    context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Nothing")
      #expect(throws: NSError.self) {
        try context.execute(NSAsynchronousFetchRequest(fetchRequest: request))
      }
    }
    let done = try await done(shelf, context) {
      $0.predicate = NSPredicate(format: "nothing == 1")
    }
    #expect(done.pages.isEmpty && done.error != nil)
  }

  @Test("ASY-2 progress is there only below a current one, counts rows, and feeds its parent")
  func asy2() async throws {
    let shelf = try Shelf(30)
    let context = shelf.reader()
    let parent = Progress(totalUnitCount: 1)
    let counts = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<[Int64], any Error>) in
      context.perform {
        let request = NSAsynchronousFetchRequest(fetchRequest: shelf.request()) { result in
          let progress = result.progress
          continuation.resume(
            returning: [progress?.totalUnitCount ?? -1, progress?.completedUnitCount ?? -1]
          )
        }
        request.estimatedResultCount = 50
        do {
          parent.becomeCurrent(withPendingUnitCount: 1)
          defer { parent.resignCurrent() }
          let result = try context.execute(request)
          let progress = (result as? NSPersistentStoreAsynchronousResult)?.progress
          #expect(progress?.totalUnitCount == 50)
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    #expect(counts == [30, 30] && parent.isFinished)
    try context.performAndWait {
      let request = NSAsynchronousFetchRequest(fetchRequest: shelf.request())
      let result = try context.execute(request) as? NSPersistentStoreAsynchronousResult
      #expect(result?.progress == nil)
    }
  }

  @Test("ASY-2 a fetch whose progress was cancelled by its parent completes with user cancelled")
  func asy2CancelledParent() async throws {
    let shelf = try Shelf(30)
    let context = shelf.reader()
    let error = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<(any Error)?, any Error>) in
      context.perform {
        let request = NSAsynchronousFetchRequest(fetchRequest: shelf.request()) { result in
          continuation.resume(returning: result.operationError)
        }
        let parent = Progress(totalUnitCount: 1)
        parent.becomeCurrent(withPendingUnitCount: 1)
        do { _ = try context.execute(request) } catch { continuation.resume(throwing: error) }
        parent.resignCurrent()
        parent.cancel()
      }
    }
    #expect((error as? NSError)?.code == CocoaError.Code.userCancelled.rawValue)
  }

  @Test("ASY-2 cancelling a request that has ended changes neither its result nor its progress")
  func asy2CancelledAfterwards() async throws {
    let shelf = try Shelf(5)
    let context = shelf.reader()
    let parent = Progress(totalUnitCount: 1)
    let request = Transferred<NSAsynchronousFetchResult<NSManagedObject>>()
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      context.perform {
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: shelf.request()) { result in
          request.value = result
          continuation.resume()
        }
        parent.becomeCurrent(withPendingUnitCount: 1)
        do { _ = try context.execute(asynchronous) } catch { continuation.resume(throwing: error) }
        parent.resignCurrent()
      }
    }
    await context.perform {
      let result = request.value
      result?.cancel()
      #expect(result?.progress?.isCancelled == false && result?.progress?.isFinished == true)
      #expect(result?.finalResult?.count == 5 && result?.operationError == nil)
    }
    #expect(parent.isFinished && !parent.isCancelled)
  }

  @Test("ASY-3 what SQL cannot say is done with the objects, for every result type")
  func asy3Remainder() async throws {
    let shelf = try Shelf(20)
    let context = shelf.reader()
    for includesUnsaved in [true, false] {
      let done = try await done(shelf, context) {
        $0.predicate = Self.isEven
        $0.includesPendingChanges = includesUnsaved
      }
      #expect(done.pages == Array(stride(from: 0, to: 20, by: 2)) && done.error == nil)
    }
    let descending = NSSortDescriptor(key: "pages", ascending: false) { left, right in
      (left as? NSNumber)?.compare(right as? NSNumber ?? 0) ?? .orderedSame
    }
    let sorted = shelf.request {
      $0.sortDescriptors = [descending]
      $0.fetchLimit = 3
    }
    let books = try await context.fetchAsynchronously(sorted)
    #expect(await context.perform { Shelf.pages(books) } == [19, 18, 17])
    let dictionaries = shelf.dictionaries(["pages"]) { $0.predicate = Self.isEven }
    #expect(try await context.fetchAsynchronously(dictionaries).count == 10)
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    ids.resultType = .managedObjectIDResultType
    ids.predicate = Self.isEven
    #expect(try await context.fetchAsynchronously(ids).count == 10)
    let count = NSFetchRequest<NSNumber>(entityName: "Book")
    count.resultType = .countResultType
    count.predicate = Self.isEven
    #expect(try await context.fetchAsynchronously(count).first?.intValue == 10)
  }

  private static var isEven: NSPredicate {
    NSPredicate { object, _ in
      ((object as? NSManagedObject)?.value(forKey: "pages") as? Int ?? 1) % 2 == 0
    }
  }

  /// A condition that takes the engine far longer than a test may last.
  private func endless(_ request: NSFetchRequest<NSManagedObject>) {
    request.predicate = NSPredicate(
      format: "SUBQUERY(author.books, $a, "
        + "SUBQUERY($a.author.books, $b, SUBQUERY($b.author.books, $c, "
        + "SUBQUERY($c.author.books, $d, $d.pages + $c.pages + $b.pages + $a.pages < 0).@count > 0"
        + ").@count > 0).@count > 0).@count > 0"
    )
  }

  @Test("ASY-2 cancelling stops the statement; the fetch completes with user cancelled")
  func asy2Cancel() async throws {
    let shelf = try Shelf(2000)
    let context = shelf.reader()
    let store = try #require(
      shelf.stack.container.persistentStoreCoordinator.persistentStores.first
    )
    let canceller = Canceller()
    // The statement has begun when it is cancelled.
    store.statements.setOnStart { _ in canceller.cancel() }
    let error = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<(any Error)?, any Error>) in
      context.perform {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        self.endless(request)
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
          #expect(result.finalResult == nil)
          continuation.resume(returning: result.operationError)
        }
        do {
          canceller.result =
            try context.execute(asynchronous) as? NSPersistentStoreAsynchronousResult
          canceller.isReady.signal()
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    #expect((error as? NSError)?.code == CocoaError.Code.userCancelled.rawValue)
    #expect((error as? NSError)?.domain == NSCocoaErrorDomain)
    store.statements.setOnStart(nil)
    #expect(try context.performAndWait { try context.count(for: shelf.request()) } == 2000)
  }

  @Test(
    "ASY-3 results are objects of the context, unsaved changes of before and meanwhile included"
  )
  func asy3() async throws {
    let shelf = try Shelf(20)
    let context = shelf.context
    context.performAndWait {
      _ = shelf.stack.make("Book", ["title": "before", "pages": 100])
    }
    let pages = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<[Int], any Error>) in
      context.perform {
        let request = shelf.request {
          $0.fetchLimit = 3
          $0.fetchOffset = 19
          $0.returnsObjectsAsFaults = false
        }
        let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
          #expect(result.finalResult?.allSatisfy { $0.managedObjectContext === context } == true)
          #expect(result.finalResult?.contains { $0.isFault } == false)
          continuation.resume(returning: Shelf.pages(result.finalResult ?? []))
        }
        do {
          _ = try context.execute(asynchronous)
          _ = shelf.stack.make("Book", ["title": "meanwhile", "pages": 99])
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    #expect(pages == [19, 99, 100])
  }

  @Test("an awaited fetch gives every result type, and stops with its task")
  func awaited() async throws {
    let shelf = try Shelf(20)
    let context = shelf.reader()
    let books = try await context.fetchAsynchronously(
      shelf.request { $0.fetchBatchSize = 5 }
    )
    let pages = await context.perform { Shelf.pages(books) }
    #expect(pages == Array(0..<20))
    let rows = try await context.fetchAsynchronously(shelf.dictionaries(["pages"]))
    #expect(rows.count == 20)
    let count = NSFetchRequest<NSNumber>(entityName: "Book")
    count.resultType = .countResultType
    let number = try await context.fetchAsynchronously(count).first
    #expect(number?.intValue == 20)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await context.fetchAsynchronously(shelf.request()).count
    }
    await #expect(throws: NSError.self) { try await task.value }
  }
}

/// Cancels a result as soon as there is one.
private final class Canceller: @unchecked Sendable {
  // Unchecked: the result is set before the semaphore lets it be read.
  var result: NSPersistentStoreAsynchronousResult?
  let isReady = DispatchSemaphore(value: 0)

  func cancel() {
    isReady.wait()
    result?.cancel()
    isReady.signal()
  }
}

/// A value that a block leaves for the test.
private final class Transferred<Value>: @unchecked Sendable {
  // Unchecked: the block sets it before the test reads it.
  var value: Value?
}
