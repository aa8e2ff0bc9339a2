// SPDX-License-Identifier: Apache-2.0

// A source that imports this module has everything that `import CoreData` and `import Combine` give it on Apple's
// systems; Combine's part only if the package is used with the trait OpenCombine.
@_exported import CoreData

#if OpenCombine
@_exported import OpenCombine
@_exported import OpenCombineDispatch
@_exported import OpenCombineFoundation
#endif
