#ifndef HY_TESTS_HELD_H
#define HY_TESTS_HELD_H

#include <stdbool.h>
#include <stddef.h>

/* What this process holds of the system and of the heap. */
struct hy_held {
    size_t files; /* open descriptors */
    size_t maps;  /* lines of /proc/self/maps */
    size_t threads;
    size_t blocks; /* bytes of the heap in use; 0 under a sanitizer, which tells of leaks itself */
};

/* False: /proc cannot be read. */
bool hy_held_look(struct hy_held *held);

#endif
