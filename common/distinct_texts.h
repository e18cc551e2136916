#ifndef HY_COMMON_DISTINCT_TEXTS_H
#define HY_COMMON_DISTINCT_TEXTS_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * A set of texts, to log each text only once. The set has a fixed size, starts zeroed, holds hashes
 * instead of texts, and never drops a text. Thread-safe without locks.
 */
#define HY_DISTINCT_TEXTS 128u

struct hy_distinct_texts {
    _Atomic uint64_t hashes[HY_DISTINCT_TEXTS]; /* filled from index 0; 0: free */
};

enum hy_text_novelty {
    HY_TEXT_KNOWN,    /* added before, or the set is full */
    HY_TEXT_NEW,      /* added now; only one of several threads gets this result */
    HY_TEXT_NEW_LAST, /* added now as the last possible text */
};

enum hy_text_novelty hy_distinct_texts_add(struct hy_distinct_texts *texts, const char *text);

#endif
