#ifndef HY_TESTS_CACHING_DAMAGE_H
#define HY_TESTS_CACHING_DAMAGE_H

#include "common/random.h"
#include "tests/caching/app.h"
#include "tests/caching/place.h"

/*
 * Compiles what has been damaged: that has to succeed, with the right answer, as a miss that says
 * why; the entry has to be replaced, and found the next time. Failures are recorded, the first few
 * of them in words.
 */
struct damage {
    const struct app *app;
    uint8_t token[HALYARD_TOKEN_SIZE]; /* of the step */
    unsigned count;
    unsigned failures;
    struct hy_random random;
};

/* Makes a good entry. False: recorded. */
bool damage_begin(struct damage *damage, const struct app *app);

/* `what` names the damage that was done, for failures. */
void damage_check(struct damage *damage, const char *what, uint64_t where);

/* Every length, or every `step`th from a random one on; every bit, or so many at random. */
void damage_cut_all(struct damage *damage, const char *file, uint64_t step);
void damage_flip_all(struct damage *damage, const char *file);
void damage_flip_some(struct damage *damage, const char *file, unsigned count);

#endif
