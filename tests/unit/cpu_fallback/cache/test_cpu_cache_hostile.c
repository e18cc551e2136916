#include <stdbool.h>
#include <stdlib.h>

#include "common/model/subgraph_codec.h"
#include "cpu_fallback/cache/format.h"
#include "cpu_fallback/cpu_driver.h"
#include "tests/kit/test.h"
#include "tests/unit/cpu_fallback/kit/cache_host.h"
#include "tests/unit/cpu_fallback/kit/samples.h"

/*
 * Cache files that are not what was saved, with a host that vouches for them: the model cache is
 * refused with words or says something that can be run, and no bytes of the data cache do worse
 * than wrong numbers.
 */

struct fixture {
    struct hy_cache_host host;
    struct hy_runner runner;
    uint8_t *model, *data; /* as saved */
};

static void *copy(const void *bytes, uint64_t length)
{
    void *made = malloc(length + 1);

    if (!made)
        abort();
    memcpy(made, bytes, length);
    return made;
}

/* What `build` makes, in cache files. */
static void open_model(struct fixture *fixture, void (*build)(struct hy_builder *builder))
{
    struct hy_builder builder;

    hy_cache_host_init(&fixture->host);
    fixture->host.memory = HY_CACHE_HEAP;
    hy_builder_init(&builder);
    build(&builder);
    EXPECT_INT(hy_runner_open_on(&fixture->runner, &fixture->host.host, hy_cpu_driver(), 0),
               HY_STATUS_OK);
    EXPECT_INT(hy_cache_host_prepare(&fixture->runner, hy_builder_model(&builder)), HY_STATUS_OK);
    hy_builder_finish(&builder);
    fixture->model = copy(fixture->host.model, fixture->host.model_length);
    fixture->data = copy(fixture->host.data, fixture->host.data_length);
}

static void build_network(struct hy_builder *builder)
{
    hy_sample_network(builder, 1);
}

static void open_network(struct fixture *fixture)
{
    open_model(fixture, build_network);
}

static void close_network(struct fixture *fixture)
{
    hy_runner_close(&fixture->runner);
    EXPECT_INT(fixture->host.released, fixture->host.restored);
    hy_cache_host_finish(&fixture->host);
    free(fixture->model);
    free(fixture->data);
}

static int32_t run_network(struct fixture *fixture, float *out)
{
    static float in[HY_SAMPLE_PIXELS];

    hy_sample_numbers(3, HY_SAMPLE_PIXELS, in);
    hy_runner_clear(&fixture->runner);
    hy_runner_input(&fixture->runner, in, sizeof in, 0, NULL);
    hy_runner_output(&fixture->runner, out, HY_SAMPLE_CLASSES * sizeof *out, 0, NULL);
    return hy_runner_execute(&fixture->runner);
}

/* Restores the files as they are now: true when it is refused, as it should be with words. */
static bool is_refused(struct fixture *fixture)
{
    float out[HY_SAMPLE_CLASSES];

    if (hy_cache_host_restore(&fixture->runner) != HY_STATUS_OK) {
        EXPECT(fixture->runner.message[0] != '\0');
        return true;
    }
    (void)run_network(fixture, out);
    return false;
}

/* The same with one bit after the other wrong. Gives how many of them are refused. */
static uint64_t count_refused_bits(struct fixture *fixture)
{
    uint64_t refused = 0;

    for (uint64_t bit = 0; bit < 8 * fixture->host.model_length; bit++) {
        fixture->host.model[bit / 8] ^= (uint8_t)(1u << bit % 8);
        refused += is_refused(fixture);
        fixture->host.model[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    return refused;
}

TEST(cpu_cache_hostile, every_cut_of_the_model_cache_is_refused)
{
    struct fixture fixture;

    open_network(&fixture);
    for (uint64_t length = fixture.host.model_length; length-- > 0;) {
        fixture.host.model_length = length;
        EXPECT(is_refused(&fixture));
    }
    close_network(&fixture);
}

TEST(cpu_cache_hostile, data_cache_of_another_length_is_refused)
{
    struct fixture fixture;

    open_network(&fixture);
    fixture.host.data_length--;
    EXPECT(is_refused(&fixture));
    fixture.host.data_length = 0;
    EXPECT(is_refused(&fixture));
    close_network(&fixture);
}

TEST(cpu_cache_hostile, every_bit_of_the_model_cache_may_be_wrong)
{
    struct fixture fixture;

    open_network(&fixture);
    EXPECT(count_refused_bits(&fixture) > fixture.host.model_length);
    EXPECT(!is_refused(&fixture));
    close_network(&fixture);
}

static void build_packed_scales(struct hy_builder *builder)
{
    hy_sample_per_channel(builder, 32, false);
}

/* The scales of a filter are in its packed weights alone, which is the only way it may be read. */
TEST(cpu_cache_hostile, every_bit_may_be_wrong_where_scales_are_packed)
{
    struct fixture fixture;

    open_model(&fixture, build_packed_scales);
    EXPECT(count_refused_bits(&fixture) > fixture.host.model_length);
    EXPECT(!is_refused(&fixture));
    close_network(&fixture);
}

static void build_lstm(struct hy_builder *builder)
{
    hy_sample_lstm(builder, 1, HY_SAMPLE_PIXELS, HY_SAMPLE_CLASSES);
}

/* An LSTM whose weights are in panels alone must not take them as they were: with another
 * activation, say. */
TEST(cpu_cache_hostile, every_bit_may_be_wrong_where_an_lstm_is_packed)
{
    struct fixture fixture;

    open_model(&fixture, build_lstm);
    EXPECT(count_refused_bits(&fixture) > fixture.host.model_length);
    EXPECT(!is_refused(&fixture));
    close_network(&fixture);
}

TEST(cpu_cache_hostile, files_of_another_build_or_instruction_set_are_refused)
{
    struct fixture fixture;

    open_network(&fixture);
    struct hy_cpu_cache_header *header = (struct hy_cpu_cache_header *)fixture.host.model;
    header->identity[strlen(header->identity) - 1] ^= 1;
    EXPECT(is_refused(&fixture));
    EXPECT(strstr(fixture.runner.message, "was made by") != NULL);
    close_network(&fixture);
}

TEST(cpu_cache_hostile, any_data_runs)
{
    float right[HY_SAMPLE_CLASSES], out[HY_SAMPLE_CLASSES];
    struct fixture fixture;
    uint32_t seed = 1, differ = 0;

    open_network(&fixture);
    EXPECT_INT(run_network(&fixture, right), HY_STATUS_OK);
    for (uint32_t round = 0; round < 50; round++) {
        for (uint64_t i = 0; i < fixture.host.data_length; i++)
            fixture.host.data[i] = (uint8_t)(round == 0 ? 0xff : hy_sample_random(&seed));
        REQUIRE(hy_cache_host_restore(&fixture.runner) == HY_STATUS_OK);
        EXPECT_INT(run_network(&fixture, out), HY_STATUS_OK);
        differ += memcmp(right, out, sizeof out) != 0;
    }
    EXPECT(differ > 0);
    close_network(&fixture);
}

/* A constant that exists only packed, read by an operation that cannot have it so. */
TEST(cpu_cache_hostile, packed_constants_serve_only_what_packs)
{
    struct fixture fixture;
    uint32_t changed = 0;

    open_network(&fixture);
    for (uint64_t at = sizeof(struct hy_cpu_cache_header);
         at + sizeof(struct hy_operand_record) <= fixture.host.model_length;
         at += HY_CPU_CACHE_ALIGN) {
        struct hy_operand_record *record = (struct hy_operand_record *)(fixture.host.model + at);
        if (record->location.pool != HY_CPU_STORED_DATA &&
            record->location.pool != HY_CPU_STORED_VALUES)
            continue;
        record->location.pool = HY_CPU_STORED_PACKED;
        (void)is_refused(&fixture);
        memcpy(fixture.host.model, fixture.model, fixture.host.model_length);
        changed++;
    }
    EXPECT(changed > 5);
    close_network(&fixture);
}
