#ifndef HY_TESTS_WIRE_READING_H
#define HY_TESTS_WIRE_READING_H

#include "plugins/service/wire/pack.h"
#include "samples.h"

/* A value by chance that is written and read in memory. */
struct reading {
    struct hy_wire_samples samples;
    struct hy_arena arena;
    struct hy_pack pack;
    struct hy_unpack in;
    struct hy_error err;
};

void reading_open(struct reading *reading, uint64_t seed);

/* What has been packed can be read now. */
void reading_turn(struct reading *reading);
void reading_close(struct reading *reading);

/* Ends reading; true: it was well-formed. Else a failure with the words. */
int reading_is_good(struct reading *reading);

/* Ends reading; the body must have been refused with these words. */
void reading_expect_refused(struct reading *reading, const char *words);

#endif
