#ifndef HY_TESTS_WIRE_READING_H
#define HY_TESTS_WIRE_READING_H

#include "plugins/service/wire/pack.h"
#include "samples.h"

/* A random value for writing and reading in memory. */
struct reading {
    struct hy_wire_samples samples;
    struct hy_arena arena;
    struct hy_pack pack;
    struct hy_unpack in;
    struct hy_error err;
};

void reading_open(struct reading *reading, uint64_t seed);

/* Switches from packing to reading. */
void reading_turn(struct reading *reading);
void reading_close(struct reading *reading);

/* Ends reading. Returns true for a well-formed body; otherwise records a test failure. */
int reading_is_good(struct reading *reading);

/* Ends reading. Expects a refusal with the given text. */
void reading_expect_refused(struct reading *reading, const char *words);

#endif
