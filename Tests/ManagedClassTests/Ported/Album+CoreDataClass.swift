// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  Album+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(Album)
#endif
public class Album: NSManagedObject {

}
