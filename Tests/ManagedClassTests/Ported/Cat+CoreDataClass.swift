// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Cat+CoreDataClass.swift
//  Generations
//

public import Foundation
public import CoreData

public typealias CatCoreDataClassSet = NSSet

#if canImport(ObjectiveC)
@objc(Cat)
#endif
public nonisolated class Cat: NSManagedObject {

}
