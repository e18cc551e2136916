#ifndef HY_CACHE_STORE_DIRECTORY_TRASH_H
#define HY_CACHE_STORE_DIRECTORY_TRASH_H

#include <stdint.h>

/*
 * Taking things away. An entry or staging directory is first moved out of its place, in one step,
 * and then removed where nobody looks for it; what a process that died has left there, anybody
 * removes. All of it does what it can: nothing depends on its success.
 */

/* Bytes and pieces that went. */
struct hy_removal {
    uint64_t pieces;
    uint64_t bytes;
};

/* Moves the named thing to the trash and removes it. The caller holds the lock of what stands
 * there, or nobody else can want it. 0 if it has left its place. `removal` may be NULL. */
int hy_trash_put(int root, int parent, const char *name, struct hy_removal *removal);

/* The same for the folder that is open, if it still stands at the name and nobody has it locked;
 * the lock stays until the descriptor is closed. 0 if it is gone from there. */
int hy_trash_put_open(int root, int parent, const char *name, int fd, struct hy_removal *removal);

/* The same for something that is no folder of ours, and only if it still is none. */
int hy_trash_put_strange(int root, int parent, const char *name, struct hy_removal *removal);

/* Removes a named thing that is no folder. 0 if it is gone. */
int hy_trash_unlink(int parent, const char *name);

/* Clears away staging directories of processes that died and what they had put there. */
void hy_trash_sweep(int root, struct hy_removal *removal);

#endif
