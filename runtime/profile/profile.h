#ifndef HY_RUNTIME_PROFILE_H
#define HY_RUNTIME_PROFILE_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The measured times of a device, by kind of operation, type and size. A size class covers a factor
 * of two of the units (struct hy_work_estimate); inside a class the time grows with the units.
 * Specified in docs/planning.md.
 */

#define HY_PROFILE_MAX_ENTRIES 4096u
#define HY_PROFILE_MAX_NS      1e12 /* longer than any operation */
#define HY_PROFILE_MAX_UNITS   1e18

struct hy_profile_key {
    int32_t operation;
    int32_t type; /* of its first operand */
    bool relaxed; /* float32 with the precision of float16 is allowed */
};

struct hy_profile_entry {
    struct hy_profile_key key;
    uint32_t size_class;
    double units;     /* at least 1 */
    double ns;        /* time of `units` */
    uint32_t samples; /* number of averaged measurements; 0: from a file */
};

/* An entry of a file with an unknown operation or type, by name. The entry is only stored for the
 * next file. */
struct hy_profile_unknown {
    char *operation, *type;
    bool relaxed;
    double units;
    double ns;
};

struct hy_profile {
    double launch_ns; /* launch time of a step; 0: not measured */
    uint32_t count;
    struct hy_profile_entry *entries; /* in ascending order of key and class */
    uint32_t unknown_count;
    struct hy_profile_unknown *unknown; /* in the order of the file */
};

/* Returns the size class: the logarithm to base 2, rounded down. */
uint32_t hy_profile_size_class(double units);

/* Returns the time of an operation in ns; below 0 without a similar measurement. `profile` may be
 * NULL. */
double hy_profile_time(const struct hy_profile *profile, struct hy_profile_key key, double units);

/*
 * Sets figures from a file, or adds a measurement. A measurement replaces figures from a file, and
 * is averaged with other measurements of the same key and class. Errors: BAD_DATA (an invalid key
 * or figure, more than HY_PROFILE_MAX_ENTRIES); OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_profile_set(struct hy_profile *profile, struct hy_profile_key key,
                                          double units, double ns, struct hy_error *err);
HY_MUST_CHECK enum hy_code hy_profile_add(struct hy_profile *profile, struct hy_profile_key key,
                                          double units, double ns, struct hy_error *err);

/* Stores an entry with unknown names. The names are copied. Errors: as hy_profile_set. */
HY_MUST_CHECK enum hy_code hy_profile_add_unknown(struct hy_profile *profile,
                                                  const struct hy_profile_unknown *entry,
                                                  struct hy_error *err);

/* Sets the launch time. BAD_DATA: below 0, or above HY_PROFILE_MAX_NS. */
HY_MUST_CHECK enum hy_code hy_profile_set_launch(struct hy_profile *profile, double ns,
                                                 struct hy_error *err);

/* Copies all entries to an empty profile, as if from a file. Errors: OUT_OF_MEMORY. */
HY_MUST_CHECK enum hy_code hy_profile_copy(struct hy_profile *to, const struct hy_profile *from,
                                           struct hy_error *err);

/* Frees the memory of a profile. A zeroed profile is allowed. */
void hy_profile_finish(struct hy_profile *profile);

#endif
