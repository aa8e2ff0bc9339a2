// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Dog+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Dog)
#endif
public class Dog: NSManagedObject {

}
