#ifndef HY_CACHE_STORE_DIRECTORY_TRASH_H
#define HY_CACHE_STORE_DIRECTORY_TRASH_H

#include <stdint.h>

/*
 * Removal of directories. An entry or staging directory first moves to the trash atomically, and is
 * removed in the trash afterwards. Any process removes the trash of dead processes. All functions
 * work on a best-effort basis: callers do not depend on success.
 */

/* Number and bytes of removed entries and directories. */
struct hy_removal {
    uint64_t pieces;
    uint64_t bytes;
};

/* Moves a named directory to the trash and removes it. The caller holds the lock of the directory,
 * or no other process can use the directory. 0: the name is free. `removal` may be NULL. */
int hy_trash_put(int root, int parent, const char *name, struct hy_removal *removal);

/* Moves an open directory to the trash and removes it, if the name still refers to the directory
 * and no other process has locked it. The lock stays until the descriptor is closed. 0: the name no
 * longer refers to the directory. */
int hy_trash_put_open(int root, int parent, const char *name, int fd, struct hy_removal *removal);

/* Moves a foreign file or directory to the trash and removes it, but not a private directory made
 * in the meantime. */
int hy_trash_put_strange(int root, int parent, const char *name, struct hy_removal *removal);

/* Removes a name that is no directory. 0: the name is free. */
int hy_trash_unlink(int parent, const char *name);

/* Removes staging directories and trash of dead processes. */
void hy_trash_sweep(int root, struct hy_removal *removal);

#endif
