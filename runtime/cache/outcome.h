#ifndef HY_RUNTIME_CACHE_OUTCOME_H
#define HY_RUNTIME_CACHE_OUTCOME_H

#include <stdatomic.h>
#include <stdint.h>

struct hy_cache_use;

/* What became of caching for a prepared model; the values are those of halyard.h. */
enum hy_cache_kind {
    HY_CACHE_OFF,        /* nobody asked */
    HY_CACHE_UNUSED,     /* the device does not cache */
    HY_CACHE_HIT,        /* prepared from files */
    HY_CACHE_STORED,     /* not found; prepared, and kept now */
    HY_CACHE_NOT_STORED, /* not found, and not kept either */
};

#define HY_CACHE_REASON_SIZE 256

/* As it is when the compilation ends; hy_cache_outcome_account tells what it has become. Zeroed:
 * off. */
struct hy_cache_outcome {
    enum hy_cache_kind kind;
    char reason[HY_CACHE_REASON_SIZE]; /* one line; "" with HY_CACHE_OFF */
    uint64_t bytes;                    /* of the files, where they were used or kept */
    uint64_t find_ns;                  /* making the token, looking up, restoring */
    uint64_t keep_ns;                  /* making it the entry */
    struct hy_cache_use *use;          /* until the prepared model goes; NULL: it is not cached */
    const atomic_bool *is_torn;        /* of the guarded mapping that the prepared model reads
                                          (torn_guard.h); NULL: it reads none */
};

/* What reports tell. The reason lives as long as the outcome. */
struct hy_cache_account {
    enum hy_cache_kind kind;
    const char *reason;
    uint64_t bytes;
    uint64_t find_ns;
    uint64_t keep_ns;
};

/*
 * What has become of caching until now: a device that compiles just in time writes the entry after
 * the compilation has ended. From any thread, while the prepared model lives.
 */
struct hy_cache_account hy_cache_outcome_account(const struct hy_cache_outcome *outcome);

#endif
