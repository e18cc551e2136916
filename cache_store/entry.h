#ifndef HY_CACHE_STORE_ENTRY_H
#define HY_CACHE_STORE_ENTRY_H

#include "cache_store/store.h"
#include "halyard/driver.h"

#include <stdatomic.h>

/* The number of cache files that a device needs for one prepared model. */
struct hy_file_counts {
    uint32_t model; /* both <= HY_MAX_CACHE_FILES */
    uint32_t data;
};

/* Information about an entry for people. The metadata holds the information; nothing else uses
 * it. */
struct hy_entry_info {
    const char *device;
    const char *version;
    const char *build_id;
    uint32_t operations; /* of the step model */
    int32_t preference;
    int32_t priority;
};

/* A built-in device maps a data cache file of at least this size, to share memory between processes
 * with the same network; a shorter file is copied. */
#define HY_ENTRY_MAP_FROM (UINT64_C(2) << 20)

/* Other drivers get the published file and its descriptor from this size on, instead of a writable
 * copy. */
#define HY_ENTRY_PASS_FD_FROM (UINT64_C(64) << 20)

/*
 * The intended use of an opened entry. Other processes may change or truncate a published file at
 * any time, so published files are used directly only if a copy would be too expensive.
 */
struct hy_entry_access {
    bool passes_fds; /* a driver gets descriptors, of writable copies in memory. Otherwise copies
                     have no descriptor */
    bool is_restored_here; /* restored by a driver of this process: the entry is marked, and large
                              files are mapped. Otherwise large files are only read */
    uint64_t map_from;     /* shorter files are copied. UINT64_MAX: all files are copied */
};

/* The location of a file's bytes. */
enum hy_entry_memory {
    HY_ENTRY_NOWHERE, /* only in the file */
    HY_ENTRY_COPIED,
    HY_ENTRY_MAPPED,  /* mapping of a file that cannot be truncated */
    HY_ENTRY_GUARDED, /* guarded mapping, see sigbus_guard.h */
};

/* A file of an entry. */
struct hy_entry_file {
    int fd; /* owned by the entry. With passes_fds open for reading and writing, except an uncopied
               file under fs-verity; otherwise for reading */
    uint64_t length;     /* bytes */
    const void *address; /* data cache file, 64-byte aligned; NULL if empty, only read, or of an
                            entry that is kept open */
    uint8_t digest[16];  /* XXH3-128 in canonical form; zero in entries that are kept open */
    enum hy_entry_memory memory;
    uint32_t guard_slot; /* HY_ENTRY_GUARDED */
};

/* An opened entry. Its files stay the same if a new entry replaces the entry. The struct must not
 * move in memory. */
struct hy_entry {
    atomic_uint holders;
    struct hy_file_counts counts;
    bool is_kept_open;        /* the driver may write at any time: no checks, no mappings */
    bool is_guarded;          /* a file is HY_ENTRY_GUARDED */
    bool is_fixed;            /* directory and files are read-only, see hy_dir_is_fixed */
    atomic_bool is_truncated; /* a guarded file was truncated; data read from it are invalid */
    struct hy_entry_file model[HY_MAX_CACHE_FILES];
    struct hy_entry_file data[HY_MAX_CACHE_FILES];
    int restore_mark; /* see restore_mark.h; -1: none */
};

/*
 * Finds the entry of a token, checks its metadata and all files in a single pass over the bytes,
 * and notes the use. A faulty entry is removed and counts as a miss. An entry restored in the
 * calling process is marked until hy_entry_note_restored or hy_entry_close: if the process dies
 * while restoring, the next process removes the entry. Errors, with a reason in the text: BAD_STATE
 * (no entry, or the limit is 0); BAD_DATA (a faulty entry, removed if possible); FAILED (no
 * descriptor, no permission); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_entry_open(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE],
                                         struct hy_file_counts counts,
                                         const struct hy_entry_access *access,
                                         struct hy_entry **ret, struct hy_error *err);
struct hy_entry *hy_entry_retain(struct hy_entry *entry); /* adds a reference */
void hy_entry_close(struct hy_entry *entry); /* drops a reference; the last one destroys the entry;
                                                NULL is allowed */

/* Call when the driver has returned from restoring the entry, with or without success. */
void hy_entry_note_restored(struct hy_entry *entry);

/* Removes the entry of a token, if present, after its driver has refused the entry. */
void hy_entry_remove(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE]);

#endif
