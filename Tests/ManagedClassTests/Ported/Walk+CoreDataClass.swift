// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Walk+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Walk)
#endif
public class Walk: NSManagedObject {

}
