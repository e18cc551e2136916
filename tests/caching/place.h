#ifndef HY_TESTS_CACHING_PLACE_H
#define HY_TESTS_CACHING_PLACE_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Folders of a test program, and what lies in a cache. Nothing here knows the library.
 */
struct place {
    char path[256];
};

/* A folder that is removed when the program that made it ends; in memory if possible and if
 * `in_memory`. Its name is "" if there is none. */
struct place place_make(bool in_memory);
void place_remove(const struct place *place);
struct place place_in(const struct place *place, const char *name); /* "<place>/<name>" */

/* The folder of an entry, in that of the app; a file of it. */
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

/* Whole files. `bytes` is the caller's to free. */
bool place_read(const struct place *file, uint8_t **bytes, size_t *length);
bool place_write(const struct place *file, const void *bytes, size_t length);
bool place_flip(const struct place *file, uint64_t bit); /* in place */
uint64_t place_length(const struct place *file);

/* Copies a folder of files to where another is, or to where there is none. */
bool place_copy(const struct place *from, const struct place *to);

/* Makes the metadata of an entry fit its files and the token, with all checksums right. */
bool place_vouch(const struct place *entry, const uint8_t token[HY_TOKEN_SIZE]);

/* Turns the mark "kept open" of the metadata: with the mark the host checks no file. */
bool place_turn_kept_open(const struct place *entry);

/* Names in halyard-cache/new and /old; those older than a minute. */
struct place_leftovers {
    unsigned count;
    unsigned old;
};
struct place_leftovers place_look_for_leftovers(const char *folder);

#endif
