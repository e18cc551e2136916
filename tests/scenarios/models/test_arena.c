#include "bench/inference.h"
#include "cpu_fallback/cpu_prepared.h"
#include "runtime/compile/compilation.h"
#include "runtime/handle/handle.h"
#include "tests/kit/test.h"
#include "tests/scenarios/models/golden.h"
#include "tests/scenarios/models/recorded.h"

/* The CPU driver's prepared model behind a compilation: one step on one device. */
static const struct hy_cpu_prepared *prepared_of(const struct hy_inference *inference)
{
    const struct hy_compilation *compilation =
        hy_compilation_of(hy_inference_compilation(inference));

    if (compilation->plan->step_count != 1)
        return NULL;
    return compilation->plan->steps[0].prepared;
}

static void check_arena(const char *shared, const char *name)
{
    const struct hy_inference_options options = {.device = "halyard-cpu"};
    struct hy_inference *inference;
    struct hy_error err;
    char path[1024];

    REQUIRE(hy_golden_model_path(shared, name, path, sizeof path));
    REQUIRE(hy_inference_open(path, &options, &inference, &err) == HY_OK);
    const struct hy_cpu_prepared *prepared = prepared_of(inference);
    EXPECT(prepared != NULL);
    if (prepared) {
        struct hy_cpu_stats stats = hy_cpu_prepared_stats(prepared);
        printf("\n  %-28s %8zu bytes, at least %8zu ", name, stats.arena_bytes, stats.arena_least);
        EXPECT(20 * stats.arena_bytes <= 21 * stats.arena_least);
    }
    hy_inference_destroy(inference);
}

TEST(arena, is_no_more_than_a_twentieth_above_what_must_live_at_once)
{
    const char *shared = hy_test_shared_dir();

    for (unsigned i = 0; shared && i < hy_recorded_count; i++)
        check_arena(shared, hy_recorded_names[i]);
}
