#ifndef HY_TESTS_SCENARIOS_CACHING_DAMAGE_H
#define HY_TESTS_SCENARIOS_CACHING_DAMAGE_H

#include "common/random.h"
#include "tests/scenarios/caching/app.h"
#include "tests/scenarios/caching/fs_path.h"

/*
 * Compiles with a damaged entry. The compilation must succeed with right outputs, as a cache miss
 * with a reason. The entry must be replaced, and the next compilation must be a hit. Failures are
 * recorded; the first few have a text.
 */
struct damage {
    const struct app *app;
    uint8_t token[HALYARD_TOKEN_SIZE]; /* of the entry of the step */
    unsigned count;
    unsigned failures;
    struct hy_random random;
};

/* Creates a good entry. On failure records a test failure and returns false. */
bool damage_begin(struct damage *damage, const struct app *app);

/* `what` and `where` name the damage in failure messages. */
void damage_check(struct damage *damage, const char *what, uint64_t where);

/* Damages a file and checks after each change. cut_all truncates to every length, or to every
 * `step`th length from a random start. flip_all flips every bit, flip_some `count` random bits. */
void damage_cut_all(struct damage *damage, const char *file, uint64_t step);
void damage_flip_all(struct damage *damage, const char *file);
void damage_flip_some(struct damage *damage, const char *file, unsigned count);

#endif
