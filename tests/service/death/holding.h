#ifndef HY_TESTS_DEATH_HOLDING_H
#define HY_TESTS_DEATH_HOLDING_H

#include <stdbool.h>
#include <stddef.h>

/* What a child (child.h) holds of the system. Whether the heap lost something a sanitizer tells. */
struct holding {
    size_t files;
    unsigned shared; /* maps of shared memory */
};

/* Both give false with words: /proc cannot be read; more is held, also after some time, in which
 * what is on its way out may go. */
bool holding_look(struct holding *holding);
bool holding_is_no_more_than(const struct holding *before);

#endif
