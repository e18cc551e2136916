#ifndef HY_CACHE_STORE_ENTRY_H
#define HY_CACHE_STORE_ENTRY_H

#include "cache_store/store.h"
#include "halyard/driver.h"

#include <stdatomic.h>

/* How many files a device needs for one prepared model. */
struct hy_file_counts {
    uint32_t model; /* <= HY_MAX_CACHE_FILES, as the other */
    uint32_t data;
};

/* What people are told of an entry; kept in its metadata, not used for anything else. */
struct hy_entry_facts {
    const char *device;
    const char *version;
    const char *build_id;
    uint32_t operations; /* of the step model */
    int32_t preference;
    int32_t priority;
};

/* A data cache file of so many bytes and more is mapped for devices of ours, so that processes
 * with the same network share it; a shorter one is copied. */
#define HY_ENTRY_MAP_FROM (UINT64_C(2) << 20)

/* From here on other drivers get the published file, and its descriptor, instead of a copy that
 * they may write to. */
#define HY_ENTRY_LEND_FROM (UINT64_C(64) << 20)

/*
 * What an entry is opened for. Somebody may change or shorten a published file at any time, so
 * nobody uses such a file but where copying it would cost too much.
 */
struct hy_entry_access {
    bool is_lent; /* a driver gets the descriptors: of copies in memory, which it may write to.
                     Else copies have no descriptor of their own */
    bool is_restored_here; /* by a driver of this process: the entry is marked, and a file that is
                              not copied is mapped. Else such a file is only read through */
    uint64_t map_from;     /* a shorter file is copied. UINT64_MAX: every file is */
};

/* Where the bytes of a file are. */
enum hy_entry_memory {
    HY_ENTRY_NOWHERE, /* in the file alone */
    HY_ENTRY_COPIED,
    HY_ENTRY_MAPPED,  /* of a file that nobody can cut */
    HY_ENTRY_GUARDED, /* mapped, see torn_guard.h */
};

/* A file of an entry. */
struct hy_entry_file {
    int fd; /* the entry's. If it is lent, open for reading and writing, but for a file that is not
               copied and under fs-verity; else for reading */
    uint64_t length;     /* bytes */
    const void *address; /* of a data cache file, 64-byte aligned; NULL if it is empty, only read
                            through, or of an entry that is kept open */
    uint8_t digest[16];  /* XXH3-128 in its canonical form; zero in entries that are kept open */
    enum hy_entry_memory memory;
    uint32_t guard_slot; /* HY_ENTRY_GUARDED */
};

/* An entry as it was found: its files stay what they are, also when another takes its place. It
 * stays where it is. */
struct hy_entry {
    atomic_uint holders;
    struct hy_file_counts counts;
    bool is_kept_open; /* its driver may write to it at any time: nothing is checked or mapped */
    bool is_guarded;   /* a file is HY_ENTRY_GUARDED */
    bool is_fixed;     /* folder and files, see hy_folder_is_fixed */
    atomic_bool
        is_torn; /* somebody has cut that file, and what was read of it counts for nothing */
    struct hy_entry_file model[HY_MAX_CACHE_FILES];
    struct hy_entry_file data[HY_MAX_CACHE_FILES];
    int restore_mark; /* see restore_mark.h; -1: none */
};

/*
 * Finds the entry of the token, checks its metadata and each file against that, one pass over the
 * bytes, and notes the use. Whatever is wrong with it, the entry is removed and is a miss. The
 * entry that is restored here is marked until hy_entry_note_restored or hy_entry_close: a process
 * that dies in between has the next one remove the entry. Errors, in words that say why: BAD_STATE
 * (there is none, or the limit is 0); BAD_DATA (there was one, which is gone now if it can be
 * removed); FAILED (no descriptor, no permission); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_entry_open(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE],
                                         struct hy_file_counts counts,
                                         const struct hy_entry_access *access,
                                         struct hy_entry **ret, struct hy_error *err);
struct hy_entry *hy_entry_retain(struct hy_entry *entry); /* one holder more */
void hy_entry_close(struct hy_entry *entry); /* one less, with the last it goes; takes NULL */

/* The driver has returned from restoring the entry, whatever came of it. */
void hy_entry_note_restored(struct hy_entry *entry);

/* Removes the entry of the token, if it is there: its driver did not take it. */
void hy_entry_remove(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE]);

#endif
