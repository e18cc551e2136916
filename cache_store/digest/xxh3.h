#ifndef HY_CACHE_STORE_DIGEST_XXH3_H
#define HY_CACHE_STORE_DIGEST_XXH3_H

/*
 * XXH3 by the best instructions that this processor has: plain XXH3 of a packaged library is built
 * for the least processor of its architecture, and takes twice as long on others. On x86 the
 * library may have both, and a header that puts the one in the place of the other; the digests are
 * the same.
 */
#include <xxhash.h>

#ifdef HY_HAS_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

#endif
