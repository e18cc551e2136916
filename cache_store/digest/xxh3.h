#ifndef HY_CACHE_STORE_DIGEST_XXH3_H
#define HY_CACHE_STORE_DIGEST_XXH3_H

/*
 * XXH3 with the best instructions of the processor. A packaged library has only a version for the
 * minimum processor of its architecture, with about half the speed on other processors. On x86 the
 * library may have a dispatching version, enabled by a header. The digests are the same.
 */
#include <xxhash.h>

#ifdef HY_HAS_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

#endif
