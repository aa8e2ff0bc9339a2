// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
//
//  NoteLabel+CoreDataClass.swift
//  Generations
//

import Foundation
import CoreData

#if canImport(ObjectiveC)
@objc(NoteLabel)
#endif
public class NoteLabel: NSManagedObject {

}
