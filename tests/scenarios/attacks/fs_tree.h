#ifndef HY_TESTS_SCENARIOS_ATTACKS_FS_TREE_H
#define HY_TESTS_SCENARIOS_ATTACKS_FS_TREE_H

#include "tests/scenarios/caching/fs_path.h"

/* Directory trees. Not thread safe. */

/* Counts all files below a directory, without the directories. */
unsigned path_count_files(const char *dir);

/* Copies the contents of a directory into an empty directory. */
bool path_copy_tree(const struct fs_path *from, const struct fs_path *to);

#endif
