#include "reading.h"

#include "test.h"

void reading_open(struct reading *reading, uint64_t seed)
{
    *reading = (struct reading){.samples.chance = {seed}};
    hy_pack_init(&reading->pack);
}

void reading_turn(struct reading *reading)
{
    EXPECT_INT(reading->pack.code, HY_OK);
    reading->err = (struct hy_error){0};
    hy_arena_reset(&reading->arena);
    hy_unpack_init(&reading->in, "body", reading->pack.bytes, reading->pack.size, reading->pack.fds,
                   reading->pack.fd_count, &reading->arena, &reading->err);
}

void reading_close(struct reading *reading)
{
    hy_arena_finish(&reading->samples.arena);
    hy_arena_finish(&reading->arena);
    hy_pack_finish(&reading->pack);
}

int reading_is_good(struct reading *reading)
{
    const enum hy_code code = hy_unpack_end(&reading->in);

    EXPECT_INT(code, HY_OK);
    EXPECT_STR(reading->err.text, "");
    return code == HY_OK;
}

void reading_expect_refused(struct reading *reading, const char *words)
{
    EXPECT_INT(hy_unpack_end(&reading->in), HY_BAD_DATA);
    EXPECT_CONTAINS(reading->err.text, words);
}
