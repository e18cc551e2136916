#ifndef HY_COMMON_LIST_H
#define HY_COMMON_LIST_H

#include <sys/queue.h>

/* Lists are those of <sys/queue.h>: an element leaves in the same time however long the list is. */

/* Removes an element that may be in no list: then its entry is all zero, as it is afterwards. */
#define HY_LIST_REMOVE(element, entry) \
    do { \
        if ((element)->entry.le_prev) { \
            LIST_REMOVE(element, entry); \
            (element)->entry.le_prev = NULL; \
        } \
    } while (0)

#endif
