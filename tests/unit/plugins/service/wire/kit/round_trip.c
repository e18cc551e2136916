#include "round_trip.h"

#include "tests/kit/test.h"

void round_trip_open(struct round_trip *round_trip, uint64_t seed)
{
    *round_trip = (struct round_trip){.samples.chance = {seed}};
    hy_pack_init(&round_trip->pack);
}

void round_trip_start_reading(struct round_trip *round_trip)
{
    EXPECT_INT(round_trip->pack.code, HY_OK);
    round_trip->err = (struct hy_error){0};
    hy_arena_reset(&round_trip->arena);
    hy_unpack_init(&round_trip->in, "body", round_trip->pack.bytes, round_trip->pack.size,
                   round_trip->pack.fds, round_trip->pack.fd_count, &round_trip->arena,
                   &round_trip->err);
}

void round_trip_close(struct round_trip *round_trip)
{
    hy_arena_finish(&round_trip->samples.arena);
    hy_arena_finish(&round_trip->arena);
    hy_pack_finish(&round_trip->pack);
}

int round_trip_is_valid(struct round_trip *round_trip)
{
    const enum hy_code code = hy_unpack_end(&round_trip->in);

    EXPECT_INT(code, HY_OK);
    EXPECT_STR(round_trip->err.text, "");
    return code == HY_OK;
}

void round_trip_expect_refused(struct round_trip *round_trip, const char *expected)
{
    EXPECT_INT(hy_unpack_end(&round_trip->in), HY_BAD_DATA);
    EXPECT_CONTAINS(round_trip->err.text, expected);
}
