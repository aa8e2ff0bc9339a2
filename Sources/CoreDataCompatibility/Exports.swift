// SPDX-License-Identifier: Apache-2.0

// A file that imports this module also imports CoreData and, with the package trait OpenCombine, OpenCombine,
// which replaces Combine.
@_exported import CoreData

#if OpenCombine
@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
#endif
