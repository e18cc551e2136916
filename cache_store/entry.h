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

/*
 * Information about an entry for people, for example for `halyard cache`. The caller of
 * hy_entry_writer_publish fills the struct, and the metadata stores the values. hy_metadata_info
 * reads the values back for the inventory. No check depends on a value. The struct does not own its
 * strings.
 */
struct hy_entry_info {
    const char *device;   /* name of the device that has written the entry */
    const char *version;  /* of the device */
    const char *build_id; /* of the driver; "": none */
    uint32_t operations;  /* of the step model */
    int32_t preference;   /* ANEURALNETWORKS_PREFER_* */
    int32_t priority;     /* ANEURALNETWORKS_PRIORITY_* */
};

/* hy_entry_access.map_from of a built-in device, in bytes. A mapped data cache file shares memory
 * between processes with the same network. */
#define HY_ENTRY_MAP_FROM (UINT64_C(2) << 20)

/* hy_entry_access.map_from of every other device that restores entries, in bytes. */
#define HY_ENTRY_PASS_FD_FROM (UINT64_C(64) << 20)

/*
 * The intended use of an opened entry. To restore an entry means to make a prepared model from its
 * files. Other processes may change or truncate a published file at any time, so published files
 * are used directly only if a copy would be too expensive:
 *
 *   passes_fds  length             descriptor           bytes in memory, data cache files only
 *   false       < map_from         published, reads     HY_ENTRY_COPIED
 *   false       >= map_from        published, reads     mapping if is_restored_here, else none
 *   true        < map_from         private copy, r + w  HY_ENTRY_MAPPED, a mapping of the copy
 *   true        >= map_from        published, r + w     mapping if is_restored_here, else none
 *
 * A mapping of a published file is HY_ENTRY_GUARDED, or HY_ENTRY_MAPPED under fs-verity. In the
 * last row a file under fs-verity is open for reading, and any other file that cannot be opened for
 * writing is copied as in the row before. Every file of the table is read once, for its digest.
 *
 * A file of an entry that is kept open is neither read nor mapped. Its descriptor is the published
 * file, or a private copy if passes_fds is true and the file cannot be opened for writing.
 */
struct hy_entry_access {
    bool passes_fds;       /* a driver uses the descriptors; false: only the addresses */
    bool is_restored_here; /* a driver in this process restores the entry; false: a driver in
                              another process */
    uint64_t map_from;     /* bytes; UINT64_MAX: every file is copied */
};

/* The location of a file's bytes in memory of this process. */
enum hy_entry_memory {
    HY_ENTRY_NOWHERE, /* not in memory: a model cache file, an empty file, a file that is only read,
                         or a file of an entry that is kept open */
    HY_ENTRY_COPIED,  /* private copy on the heap */
    HY_ENTRY_MAPPED,  /* mapping of a private copy, or of a file under fs-verity */
    HY_ENTRY_GUARDED, /* guarded mapping of the published file, see sigbus_guard.h */
};

/* A file of an entry. */
struct hy_entry_file {
    int fd; /* owned by the entry. With passes_fds open for reading and writing, except an uncopied
               file under fs-verity; otherwise for reading */
    uint64_t length;     /* bytes */
    const void *address; /* 64-byte aligned, read only; NULL with HY_ENTRY_NOWHERE, as for every
                            model cache file */
    uint8_t digest[16];  /* XXH3-128 in canonical form; zero in entries that are kept open */
    enum hy_entry_memory memory;
    uint32_t guard_slot; /* with HY_ENTRY_GUARDED: the slot of the SIGBUS guard */
};

/*
 * An opened entry. Its files stay the same if a new entry replaces the entry. The struct must not
 * move in memory. After hy_entry_open only the atomic members, restore_mark and the descriptors
 * change: hy_cache_session_drop_found closes the descriptors early. Any thread with a reference may
 * read the other members.
 */
struct hy_entry {
    atomic_uint holders; /* references; 1 after hy_entry_open */
    struct hy_file_counts counts;
    bool is_kept_open; /* the driver that made the entry holds its files open and may write at any
                          time (hy_host.cache_keep_open): no digests, no mappings */
    bool is_guarded;   /* a file is HY_ENTRY_GUARDED */
    bool is_fixed;     /* directory and files are read-only, see hy_dir_is_fixed */
    atomic_bool is_truncated; /* set by the SIGBUS guard: a guarded file was truncated, and reads
                                 behind its new end gave zeros. Look after each use of the bytes:
                                 if true, the results are invalid */
    struct hy_entry_file model[HY_MAX_CACHE_FILES];
    struct hy_entry_file data[HY_MAX_CACHE_FILES];
    int restore_mark; /* see restore_mark.h; -1: none */
};

/*
 * Finds the entry of a token, checks its metadata and all files in a single pass over the bytes,
 * and notes the use. `counts`: the files that the device needs. `*ret` has one reference;
 * hy_entry_close drops the reference. Any thread may call.
 *
 * With access->is_restored_here the entry has its restore mark (restore_mark.h) when the function
 * returns, unless another thread or process has set the mark, or the directory is not writable.
 * hy_entry_note_restored and the last hy_entry_close clear the mark. If the process dies in
 * between, the next hy_entry_open with is_restored_here finds the mark and removes the entry.
 *
 * Every error counts as a miss for the caller. The text has the reason, and `*ret` is unchanged:
 *   HY_BAD_STATE      no entry has the token, or the limit of the store (hy_store_open) is 0
 *   HY_BAD_DATA       the entry is faulty, has other counts, or a process has died while restoring
 *                     the entry; the function has removed the entry, if possible
 *   HY_FAILED         no descriptor is left, a copy would be too large, or permission is missing
 *   HY_OUT_OF_MEMORY
 */
HY_MUST_CHECK enum hy_code hy_entry_open(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE],
                                         struct hy_file_counts counts,
                                         const struct hy_entry_access *access,
                                         struct hy_entry **ret, struct hy_error *err);

/* Adds a reference, and drops one. The last hy_entry_close clears the restore mark and destroys the
 * entry; hy_entry_close takes NULL. Any thread may call. */
struct hy_entry *hy_entry_retain(struct hy_entry *entry);
void hy_entry_close(struct hy_entry *entry);

/* Clears the restore mark. Call when the driver has returned from restoring the entry, with or
 * without success; a second call does nothing. One thread at a time. */
void hy_entry_note_restored(struct hy_entry *entry);

/* Removes the entry of a token, if present, after its driver has refused the entry. */
void hy_entry_remove(struct hy_store *store, const uint8_t token[HY_TOKEN_SIZE]);

#endif
