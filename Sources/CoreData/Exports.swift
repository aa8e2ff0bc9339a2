// SPDX-License-Identifier: Apache-2.0

// Core Data's interface is written in Foundation's types; one import gives both, as on Apple's systems.
@_exported import Foundation
