// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Visit+CoreDataClass.swift
//  Generations
//

public import Foundation
public import CoreData

public typealias VisitCoreDataClassSet = NSSet

#if canImport(ObjectiveC)
@objc(Visit)
#endif
public nonisolated class Visit: NSManagedObject {

}
