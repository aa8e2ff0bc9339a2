// SPDX-License-Identifier: Apache-2.0
#include "CCoreDataObjectLifetime.h"

extern void *swift_tryRetain(void *object);

void *coredata_try_retain(void *object) { return swift_tryRetain(object); }
