#ifndef HY_TESTS_SCENARIOS_CACHING_FS_PATH_H
#define HY_TESTS_SCENARIOS_CACHING_FS_PATH_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>
#include <stddef.h>

/* Directories of a test program, and the contents of a cache. Independent of the library. */
struct fs_path {
    char path[256];
};

/* Creates a directory; the creating process removes the directory at exit. With `in_memory` prefers
 * memory over disk. The path is "" on failure. */
struct fs_path path_make_dir(bool in_memory);
void path_remove(const struct fs_path *fs_path);
struct fs_path path_in(const struct fs_path *fs_path, const char *name); /* "<place>/<name>" */

/* The directory of an entry inside the app's cache directory, and a file inside the entry. */
struct fs_path path_of_entry(const char *dir, const uint8_t token[HY_TOKEN_SIZE]);
struct fs_path path_of_file(const char *dir, const uint8_t token[HY_TOKEN_SIZE], const char *name);

/* The files of an entry: "metadata", "model-0", … */
#define ENTRY_FILES_MAX 8
struct entry_files {
    uint32_t count;
    struct {
        char name[32];
        uint64_t length;
    } files[ENTRY_FILES_MAX];
};
struct entry_files entry_list_files(const struct fs_path *entry);

/* Whole files. The caller frees `bytes`. */
bool path_read(const struct fs_path *file, uint8_t **bytes, size_t *length);
bool path_write(const struct fs_path *file, const void *bytes, size_t length);
bool path_flip_bit(const struct fs_path *file, uint64_t bit); /* flips one bit in place */
uint64_t path_length(const struct fs_path *file);

/* Replaces the directory `to` with a copy of the files of `from`. */
bool path_copy(const struct fs_path *from, const struct fs_path *to);

/* Rewrites the metadata of an entry for its current files and the given token. All checksums become
 * right. */
bool entry_fix_metadata(const struct fs_path *entry, const uint8_t token[HY_TOKEN_SIZE]);

/* Toggles the "kept open" mark in the metadata. With the mark set, the host checks no file. */
bool entry_toggle_kept_open(const struct fs_path *entry);

/* Counts the names in halyard-cache/new and /old, and the names older than a minute. */
struct cache_leftovers {
    unsigned count;
    unsigned old;
};
struct cache_leftovers cache_find_leftovers(const char *dir);

#endif
