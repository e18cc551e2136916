#ifndef HY_TESTS_ATTACKS_PLACE_TREE_H
#define HY_TESTS_ATTACKS_PLACE_TREE_H

#include "tests/caching/place.h"

/* Directory trees. Not thread safe. */

/* Counts all files below a directory, without the directories. */
unsigned place_count_files(const char *folder);

/* Copies the contents of a directory into an empty directory. */
bool place_copy_all(const struct place *from, const struct place *to);

#endif
