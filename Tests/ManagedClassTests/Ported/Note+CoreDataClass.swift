// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Note+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Note)
#endif
public class Note: NSManagedObject {

}
