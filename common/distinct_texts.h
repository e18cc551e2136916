#ifndef HY_COMMON_DISTINCT_TEXTS_H
#define HY_COMMON_DISTINCT_TEXTS_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Which texts have been seen, for lines that are worth one mention each. The set has a fixed size,
 * is zeroed at first, holds hashes and no texts, and never forgets. Thread-safe without locks.
 */
#define HY_DISTINCT_TEXTS 128u

struct hy_distinct_texts {
    _Atomic uint64_t hashes[HY_DISTINCT_TEXTS]; /* from the first on; 0: free */
};

enum hy_text_novelty {
    HY_TEXT_KNOWN,    /* seen before, or there is no room to tell */
    HY_TEXT_NEW,      /* seen for the first time; of several threads, one gets this answer */
    HY_TEXT_NEW_LAST, /* the same, and the last one there is room for */
};

enum hy_text_novelty hy_distinct_texts_add(struct hy_distinct_texts *texts, const char *text);

#endif
