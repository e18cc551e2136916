/* Choices that were measured, in the cache: there and back, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "cpu_fallback/cache/format.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/tuning_fixture.h"

/* The section in the saved model cache. */
static struct hy_cpu_cache_tuned *section_of(struct hy_tuning_fixture *f)
{
    struct hy_cpu_cache_header *header = (struct hy_cpu_cache_header *)f->host.cache.model;

    return (struct hy_cpu_cache_tuned *)(f->host.cache.model + header->tuned_offset);
}

static struct hy_cpu_cache_blocking *blockings_of(struct hy_tuning_fixture *f)
{
    return (struct hy_cpu_cache_blocking *)(section_of(f) + 1);
}

/* A tuned model in the cache, and its answer; NULL where there is nothing to choose. */
static void *open_tuned(struct hy_tuning_fixture *f, int is_float)
{
    hy_tuning_fixture_open(f, 0, is_float);
    hy_tuning_fixture_prepare(f);
    void *want = hy_tuning_fixture_run(f);
    hy_tuning_fixture_wear(f);
    hy_tuning_host_run(&f->host);
    if (hy_tuning_fixture_has_blockings(f))
        return want;
    free(want);
    hy_tuning_fixture_close(f);
    return NULL;
}

TEST(cpu_tuning_cache, restored_model_is_tuned_already)
{
    struct hy_tuning_fixture f;
    void *want = open_tuned(&f, 1);

    if (!want)
        return;
    EXPECT_INT(f.host.begun, 1);
    EXPECT_INT(f.host.published, 1);
    EXPECT_INT(f.host.cache.saved, 2);
    EXPECT(section_of(&f)->blocking_count > 0);
    REQUIRE(hy_tuning_fixture_restore(&f) == HY_STATUS_OK);
    EXPECT(hy_tuning_fixture_prepared(&f)->is_tuned);
    EXPECT(!hy_tuning_fixture_prepared(&f)->tuning);
    hy_tuning_fixture_expect(&f, want);
    hy_tuning_fixture_wear(&f);
    EXPECT_INT(f.host.asked, 1);
    free(want);
    hy_tuning_fixture_close(&f);
}

/* The blocks of the newest plan, 0 without a choice. */
static void list_blocks(struct hy_tuning_fixture *f, uint32_t blocks[HY_TUNING_LAYERS])
{
    const struct hy_cpu_plan *plan = hy_cpu_plan_newest(hy_tuning_fixture_prepared(f)->declared);

    for (uint32_t i = 0; i < HY_TUNING_LAYERS; i++) {
        const struct hy_cpu_blockings *blockings = plan->steps[i].step.blockings;
        blocks[i] = blockings ? blockings->selected : 0;
    }
}

TEST(cpu_tuning_cache, every_layer_is_restored_as_it_was_tuned)
{
    for (int is_float = 0; is_float < 2; is_float++) {
        struct hy_tuning_fixture f;
        uint32_t tuned[HY_TUNING_LAYERS], restored[HY_TUNING_LAYERS];
        void *want = open_tuned(&f, is_float);
        if (!want)
            return;
        EXPECT(section_of(&f)->blocking_count > 1);
        EXPECT_INT(section_of(&f)->blocking_count,
                   hy_cpu_prepared_stats(f.runner.prepared).blockings);
        list_blocks(&f, tuned);
        REQUIRE(hy_tuning_fixture_restore(&f) == HY_STATUS_OK);
        list_blocks(&f, restored);
        EXPECT(memcmp(restored, tuned, sizeof tuned) == 0);
        free(want);
        hy_tuning_fixture_close(&f);
    }
}

TEST(cpu_tuning_cache, restored_model_that_was_not_tuned_can_be)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, 0, 0);
    hy_tuning_fixture_prepare(&f);
    void *want = hy_tuning_fixture_run(&f);
    EXPECT_INT(hy_tuning_fixture_restore(&f), HY_STATUS_OK);
    hy_tuning_fixture_wear(&f);
    hy_tuning_host_run(&f.host);
    EXPECT_INT(f.host.published, hy_tuning_fixture_has_blockings(&f));
    hy_tuning_fixture_expect(&f, want);
    EXPECT_INT(hy_tuning_fixture_restore(&f), HY_STATUS_OK);
    hy_tuning_fixture_expect(&f, want);
    free(want);
    hy_tuning_fixture_close(&f);
}

/* All that the operation of choice `index` can be cut to, one after the other. */
static void force_all(struct hy_tuning_fixture *f, uint32_t index, const void *want)
{
    const struct hy_cpu_plan *plan = hy_tuning_fixture_prepared(f)->declared;
    const struct hy_cpu_cache_blocking saved = blockings_of(f)[index];
    const struct hy_cpu_blockings blockings = *plan->steps[saved.operation].step.blockings;
    uint32_t blocks[HY_TUNING_LAYERS];

    EXPECT(blockings.count > 1);
    for (uint32_t i = 0; i < blockings.count; i++) {
        blockings_of(f)[index].block = blockings.blocks[i];
        REQUIRE(hy_tuning_fixture_restore(f) == HY_STATUS_OK);
        list_blocks(f, blocks);
        EXPECT_INT(blocks[saved.operation], blockings.blocks[i]);
        hy_tuning_fixture_expect(f, want);
    }
    blockings_of(f)[index] = saved;
    EXPECT_INT(hy_tuning_fixture_restore(f), HY_STATUS_OK);
}

TEST(cpu_tuning_cache, every_choice_gives_the_same_bits)
{
    for (int is_float = 0; is_float < 2; is_float++) {
        struct hy_tuning_fixture f;
        void *want = open_tuned(&f, is_float);
        for (uint32_t i = 0; want && i < section_of(&f)->blocking_count; i++)
            force_all(&f, i, want);
        if (!want)
            return;
        free(want);
        hy_tuning_fixture_close(&f);
    }
}

TEST(cpu_tuning_cache, choices_for_another_second_cache_are_measured_again)
{
    struct hy_tuning_fixture f;
    void *want = open_tuned(&f, 1);

    if (!want)
        return;
    section_of(&f)->l2_bytes *= 2;
    EXPECT_INT(hy_tuning_fixture_restore(&f), HY_STATUS_OK);
    EXPECT(!hy_tuning_fixture_prepared(&f)->is_tuned);
    hy_tuning_fixture_wear(&f);
    EXPECT_INT(f.host.asked, 2);
    hy_tuning_host_run(&f.host);
    hy_tuning_fixture_expect(&f, want);
    EXPECT_INT(f.host.published, 2);
    free(want);
    hy_tuning_fixture_close(&f);
}

/* Restores, and if that goes the answer is the same: what is not refused must be harmless. */
static int is_refused(struct hy_tuning_fixture *f, const void *want)
{
    if (hy_tuning_fixture_restore(f) != HY_STATUS_OK)
        return 1;
    hy_tuning_fixture_expect(f, want);
    return 0;
}

TEST(cpu_tuning_cache, choices_that_there_are_not_are_refused)
{
    struct hy_tuning_fixture f;
    void *want = open_tuned(&f, 1);

    if (!want)
        return;
    struct hy_cpu_cache_blocking *blocking = blockings_of(&f);
    const struct hy_cpu_cache_blocking good = *blocking;
    const struct hy_cpu_cache_blocking bad[] = {
        {.subgraph = good.subgraph, .operation = good.operation, .block = 1},
        {.subgraph = good.subgraph, .operation = good.operation, .block = UINT32_MAX},
        {.subgraph = good.subgraph, .operation = 1000, .block = good.block},
        {.subgraph = 0, .operation = good.operation, .block = good.block},
        {.subgraph = 7, .operation = good.operation, .block = good.block},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        *blocking = bad[i];
        EXPECT(is_refused(&f, want));
    }
    *blocking = good;
    const struct hy_cpu_cache_blocking other = blocking[1];
    blocking[1] = good; /* twice the same operation */
    EXPECT(is_refused(&f, want));
    blocking[1] = other;
    EXPECT(!is_refused(&f, want));
    free(want);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning_cache, section_that_is_cut_or_changed_is_refused_or_harmless)
{
    struct hy_tuning_fixture f;
    void *want = open_tuned(&f, 0);

    if (!want)
        return;
    struct hy_cpu_cache_header *header = (struct hy_cpu_cache_header *)f.host.cache.model;
    const uint64_t whole = f.host.cache.model_length, start = header->tuned_offset;
    for (uint64_t bit = start * 8; bit < whole * 8; bit++) {
        f.host.cache.model[bit / 8] ^= (uint8_t)(1u << bit % 8);
        (void)is_refused(&f, want);
        f.host.cache.model[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (uint64_t length = start + 1; length < whole; length++) {
        header->length = f.host.cache.model_length = length;
        EXPECT(is_refused(&f, want));
        header->tuned_length = length - start; /* as if it were meant */
        EXPECT(is_refused(&f, want));
        header->tuned_length = whole - start;
    }
    header->length = f.host.cache.model_length = whole;
    section_of(&f)->version++;
    EXPECT(is_refused(&f, want));
    free(want);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning_cache, host_that_takes_no_new_entry_loses_nothing)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, 0, 1);
    f.host.begin_status = HY_STATUS_GENERAL_FAILURE;
    hy_tuning_fixture_prepare(&f);
    void *want = hy_tuning_fixture_run(&f);
    hy_tuning_fixture_wear(&f);
    hy_tuning_host_run(&f.host);
    EXPECT_INT(f.host.cache.saved, 1);
    EXPECT_INT(f.host.published + f.host.dropped, 0);
    EXPECT_INT(hy_cpu_prepared_stats(f.runner.prepared).successors,
               hy_tuning_fixture_has_blockings(&f));
    hy_tuning_fixture_expect(&f, want);
    EXPECT_INT(hy_tuning_fixture_restore(&f), HY_STATUS_OK);
    hy_tuning_fixture_expect(&f, want);
    free(want);
    hy_tuning_fixture_close(&f);
}

TEST(cpu_tuning_cache, files_that_cannot_be_written_are_dropped)
{
    struct hy_tuning_fixture f;

    hy_tuning_fixture_open(&f, 0, 1);
    hy_tuning_fixture_prepare(&f);
    f.host.cache.save_status = HY_STATUS_GENERAL_FAILURE;
    hy_tuning_fixture_wear(&f);
    hy_tuning_host_run(&f.host);
    EXPECT_INT(f.host.dropped, hy_tuning_fixture_has_blockings(&f));
    EXPECT_INT(f.host.published, 0);
    EXPECT_INT(hy_tuning_fixture_restore(&f), HY_STATUS_OK);
    hy_tuning_fixture_close(&f);
}
