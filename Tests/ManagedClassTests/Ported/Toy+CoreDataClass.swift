// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Toy+CoreDataClass.swift
//  Generations
//

public import Foundation
public import CoreData

public typealias ToyCoreDataClassSet = NSSet

#if canImport(ObjectiveC)
@objc(Toy)
#endif
public nonisolated class Toy: NSManagedObject {

}
