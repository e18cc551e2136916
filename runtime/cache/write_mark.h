#ifndef HY_RUNTIME_CACHE_WRITE_MARK_H
#define HY_RUNTIME_CACHE_WRITE_MARK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Tells whether files have been written to since they were marked, also where the bytes are the
 * same as before. The mark is a time of the last change that lies long ago: every write sets the
 * time anew, and a digest cannot tell a rewrite of equal bytes.
 */

/* Marks open files. False: the file system does not keep the mark of one of them. */
bool hy_write_mark_set(const int32_t *files, uint32_t count);

/* True: none of the files has been written to since. */
bool hy_write_mark_is_whole(const int32_t *files, uint32_t count);

#endif
