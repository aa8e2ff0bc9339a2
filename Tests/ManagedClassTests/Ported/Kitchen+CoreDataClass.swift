// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Kitchen+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Kitchen)
#endif
public class Kitchen: NSManagedObject {

}
