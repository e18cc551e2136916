#ifndef HY_RUNTIME_CACHE_USE_H
#define HY_RUNTIME_CACHE_USE_H

#include "cache_store/entry_writer.h"
#include "runtime/cache/stores.h"

#include <stdatomic.h>

/*
 * Tokens in use: one for each prepared model that is cached, from before it is compiled until it is
 * destroyed, listed so that what the host does for drivers finds what belongs to a token. The same
 * token may be in use many times.
 */

/* An entry that has been opened; goes with the last of those who hold it. */
struct hy_found_entry {
    atomic_uint references;
    struct hy_entry *entry;
};

struct hy_cache_use {
    uint8_t token[HY_TOKEN_SIZE];
    struct hy_open_store *store; /* NULL: its files are the app's */
    struct hy_file_counts counts;
    struct hy_entry_facts facts;    /* strings are the device's */
    struct hy_found_entry *found;   /* while a driver restores from it; else NULL */
    struct hy_found_entry *guarded; /* whose guarded mapping the prepared model reads; else NULL */
    struct hy_entry_writer *writer; /* while a driver writes to it; else NULL */
    bool is_kept_open;              /* its driver goes on writing; written only while
                                       there is a writer */
    atomic_uint_least64_t updated_bytes; /* of the entry that an update has made; 0: none has */
    struct hy_cache_use *next;
};

/* From then on it is found. It is the caller's, and stays where it is. */
void hy_cache_use_enlist(struct hy_cache_use *use);
void hy_cache_use_delist(struct hy_cache_use *use);

/* Changes of a use that is listed. Entry and writer become the use's. */
void hy_cache_use_set_found(struct hy_cache_use *use, struct hy_found_entry *found);
/* The driver has returned: the entry is found no more. Who holds it keeps what is mapped of it; its
 * files are closed, and its mark is lifted. */
void hy_cache_use_drop_found(struct hy_cache_use *use);
/* The prepared model has been made from it. Whether it goes on reading a guarded mapping of it,
 * which the use holds from then on. */
bool hy_cache_use_keep_guarded(struct hy_cache_use *use);
void hy_cache_use_set_writer(struct hy_cache_use *use, struct hy_entry_writer *writer);

/* NULL: no memory. Takes over the entry, also then. */
struct hy_found_entry *hy_found_entry_create(struct hy_entry *entry);
void hy_found_entry_release(struct hy_found_entry *found); /* takes NULL */

/* The entry that these files, of this token, are those of; one holder more. NULL: there is none. */
struct hy_found_entry *hy_cache_uses_find_entry(const struct hy_cache_files *files);

/* Notes that the driver goes on writing to the files of the token's writer; to all of them, where
 * models of one token are compiled into several folders at once. False: there is none. */
bool hy_cache_uses_keep_open(const uint8_t token[HY_TOKEN_SIZE]);

/* Where entries of the token go: `store` is taken for the caller. False: nowhere; also while a
 * prepared model of the token reads a guarded mapping, since what somebody has changed there would
 * become a good entry. */
bool hy_cache_uses_find_store(const uint8_t token[HY_TOKEN_SIZE], struct hy_open_store **store,
                              struct hy_file_counts *counts, struct hy_entry_facts *facts);

/* Notes that an update has made an entry of so many bytes, in all uses of the token and store. */
void hy_cache_uses_note_update(const uint8_t token[HY_TOKEN_SIZE],
                               const struct hy_open_store *store, uint64_t bytes);

#endif
