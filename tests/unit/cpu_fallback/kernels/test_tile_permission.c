/* Tiles as a system gives or refuses them: one of our own, as few machines have any. */
#include "cpu_fallback/kernels/tile_permission.h"

#include <errno.h>
#include <stdlib.h>

#include "cpu_fallback/kernels/kernels.h"
#include "tests/kit/test.h"

enum { SUPPORTED = 0x1021, GRANTED = 0x1022, REQUEST = 0x1023, TILE_DATA = 18 };

static struct {
    bool is_saved, computes;
    int support_error, request_error; /* errno, or 0 */
    uint64_t supported, granted;      /* states */
    int requests;
} given;

static bool kernel_saves(void)
{
    return given.is_saved;
}

static int arch_prctl(int code, uintptr_t argument)
{
    if (code == REQUEST) {
        EXPECT_INT(argument, TILE_DATA);
        given.requests++;
        return given.request_error;
    }
    EXPECT(code == SUPPORTED || code == GRANTED);
    *(uint64_t *)argument = code == SUPPORTED ? given.supported : given.granted;
    return code == SUPPORTED ? given.support_error : 0;
}

static bool compute(void)
{
    EXPECT(given.granted & 1u << TILE_DATA); /* else a fault ends the process */
    return given.computes;
}

static const struct hy_tile_system system_of_ours = {kernel_saves, arch_prctl, compute};

static void give_all(void)
{
    memset(&given, 0, sizeof given);
    given.is_saved = given.computes = true;
    given.supported = given.granted = 0x602e7;
}

TEST(kernels_tile_permission, looking_for_tiles_asks_for_nothing)
{
    give_all();
    EXPECT(hy_tiles_missing(&system_of_ours) == NULL);
    given.supported = 0x202e7;
    EXPECT_CONTAINS(hy_tiles_missing(&system_of_ours), "5.16");
    given.supported = 0x602e7;
    given.support_error = EINVAL;
    EXPECT_CONTAINS(hy_tiles_missing(&system_of_ours), "5.16");
    given.is_saved = false;
    EXPECT_CONTAINS(hy_tiles_missing(&system_of_ours), "does not save");
    EXPECT_INT(given.requests, 0);
}

TEST(kernels_tile_permission, what_is_granted_and_computes_is_used)
{
    give_all();
    EXPECT(hy_tiles_refused(&system_of_ours) == NULL);
    EXPECT_INT(given.requests, 1);
}

TEST(kernels_tile_permission, refusals_say_why)
{
    give_all();
    given.granted = 0x202e7;
    given.request_error = ENOSPC;
    EXPECT_CONTAINS(hy_tiles_refused(&system_of_ours), "11,952 bytes");
    given.request_error = EPERM;
    EXPECT_CONTAINS(hy_tiles_refused(&system_of_ours), "filter");
    given.request_error = EINVAL;
    EXPECT_CONTAINS(hy_tiles_refused(&system_of_ours), "kernel refuses");
    given.request_error = 0;
    EXPECT_CONTAINS(hy_tiles_refused(&system_of_ours), "without effect");
}

TEST(kernels_tile_permission, tiles_that_lose_their_content_are_not_used)
{
    give_all();
    given.computes = false;
    EXPECT_CONTAINS(hy_tiles_refused(&system_of_ours), "wrong");
}

/* On this machine: tables are made without asking, and only a machine that has tiles is asked. */
TEST(kernels_tile_permission, the_level_is_there_where_tiles_are)
{
    const char *emulated = getenv("HALYARD_TEST_KERNELS");

    if (emulated && *emulated)
        return;
    EXPECT((hy_kernels_at(HY_KERNEL_AMX) != NULL) == hy_tiles_exist());
    if (!hy_tiles_exist())
        EXPECT(!hy_tiles_ask());
    else
        EXPECT(hy_tiles_ask() == (hy_tiles_refusal() == NULL));
}
