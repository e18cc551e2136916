#ifndef HY_COMMON_LIST_H
#define HY_COMMON_LIST_H

#include <sys/queue.h>

/* Lists use <sys/queue.h>: removal takes constant time. */

/* Removes an element if the element is in a list. The entry of an unlisted element is zeroed,
 * before and after the call. */
#define HY_LIST_REMOVE(element, entry) \
    do { \
        if ((element)->entry.le_prev) { \
            LIST_REMOVE(element, entry); \
            (element)->entry.le_prev = NULL; \
        } \
    } while (0)

#endif
