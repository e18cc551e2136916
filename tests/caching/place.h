#ifndef HY_TESTS_CACHING_PLACE_H
#define HY_TESTS_CACHING_PLACE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>
#include <stddef.h>

/* Directories of a test program, and the contents of a cache. Independent of the library. */
struct place {
    char path[256];
};

/* Creates a directory; the creating process removes the directory at exit. With `in_memory` prefers
 * memory over disk. The path is "" on failure. */
struct place place_make(bool in_memory);
void place_remove(const struct place *place);
struct place place_in(const struct place *place, const char *name); /* "<place>/<name>" */

/* The directory of an entry inside the app's cache directory, and a file inside the entry. */
struct place place_of_entry(const char *folder, const uint8_t token[HY_TOKEN_SIZE]);
struct place place_of_file(const char *folder, const uint8_t token[HY_TOKEN_SIZE],
                           const char *name);

/* The files of an entry: "metadata", "model-0", … */
#define PLACE_FILES 8
struct place_files {
    uint32_t count;
    struct {
        char name[32];
        uint64_t length;
    } files[PLACE_FILES];
};
struct place_files place_list(const struct place *entry);

/* Whole files. The caller frees `bytes`. */
bool place_read(const struct place *file, uint8_t **bytes, size_t *length);
bool place_write(const struct place *file, const void *bytes, size_t length);
bool place_flip(const struct place *file, uint64_t bit); /* flips one bit in place */
uint64_t place_length(const struct place *file);

/* Replaces the directory `to` with a copy of the files of `from`. */
bool place_copy(const struct place *from, const struct place *to);

/* Rewrites the metadata of an entry for its current files and the given token. All checksums become
 * right. */
bool place_vouch(const struct place *entry, const uint8_t token[HY_TOKEN_SIZE]);

/* Toggles the "kept open" mark in the metadata. With the mark set, the host checks no file. */
bool place_turn_kept_open(const struct place *entry);

/* Counts the names in halyard-cache/new and /old, and the names older than a minute. */
struct place_leftovers {
    unsigned count;
    unsigned old;
};
struct place_leftovers place_look_for_leftovers(const char *folder);

#endif
