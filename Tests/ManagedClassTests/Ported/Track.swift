// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Track.swift
//  Generations
//

#if canImport(UIKit)
import UIKit
#endif
import CoreData

/// A song that sets its identifier itself.
#if canImport(ObjectiveC)
@objc(Track)
#endif
public class Track: NSManagedObject {
    @NSManaged
    #if canImport(ObjectiveC)
    @objc(trackNumber)
    #endif
    public var number: Int16
    @NSManaged public private(set) var identifier: UUID?
    #if canImport(ObjectiveC)
    @objc
    #endif
    dynamic public var shownNumber: String { "No. \(number)" }

    public convenience init(context: NSManagedObjectContext) {
        self.init(entity: Track.entity(), insertInto: context)
        renumber()
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(UUID(), forKey: "identifier")
        setPrimitiveValue(7, forKey: "trackNumber")
    }

    @discardableResult
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func renumber() -> Int16 {
        number += 1
        return number
    }
}
