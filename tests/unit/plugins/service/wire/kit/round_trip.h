#ifndef HY_TESTS_WIRE_ROUND_TRIP_H
#define HY_TESTS_WIRE_ROUND_TRIP_H

#include "plugins/service/wire/pack.h"
#include "samples.h"

/* A random value for writing and reading in memory. */
struct round_trip {
    struct hy_wire_samples samples;
    struct hy_arena arena;
    struct hy_pack pack;
    struct hy_unpack in;
    struct hy_error err;
};

void round_trip_open(struct round_trip *round_trip, uint64_t seed);

/* Switches from packing to reading. */
void round_trip_start_reading(struct round_trip *round_trip);
void round_trip_close(struct round_trip *round_trip);

/* Ends reading. Returns true for a well-formed body; otherwise records a test failure. */
int round_trip_is_valid(struct round_trip *round_trip);

/* Ends reading. Expects a refusal with the given text. */
void round_trip_expect_refused(struct round_trip *round_trip, const char *expected);

#endif
