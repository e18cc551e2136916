#ifndef HY_TESTS_ATTACKS_PLACE_TREE_H
#define HY_TESTS_ATTACKS_PLACE_TREE_H

#include "tests/caching/place.h"

/* Folders with all that is below them; for one thread. */

/* What lies there and is no folder. */
unsigned place_count_files(const char *folder);

/* Copies the contents of a folder into an empty folder. */
bool place_copy_all(const struct place *from, const struct place *to);

#endif
