/* Instances of one program: as many as run at a time, up to a limit, then threads wait. */
#include "driver_kit/clock.h"
#include "plugin.h"
#include "tests/kit/test.h"
#include "tests/kit/test_host.h"
#include "tests/kit/threads.h"
#include "xnnpack_driver/compile.h"
#include "xnnpack_driver/instances.h"

#include <time.h>

#define MOST 8u

static const struct hy_message no_message = {NULL, 0};

static struct xd_program *make_program(struct hy_builder *builder)
{
    const struct hy_builder_type row = {.type = F32, .rank = 1, .dims = {4}};
    struct xd_program *program = NULL;
    EXPECT_INT(xnn_initialize(NULL), xnn_status_success);
    hy_builder_init(builder);
    const uint32_t in = hy_builder_input(builder, &row), out = hy_builder_output(builder, &row);
    hy_builder_operation(builder, ANEURALNETWORKS_ABS, 1, &in, 1, &out);
    EXPECT_INT(xd_compile(hy_test_host(), hy_builder_model(builder), &no_message, &program),
               HY_STATUS_OK);
    return program;
}

/* Takes until there are no more; how many there were. */
static uint32_t claim_all(struct xd_instances *instances, struct xd_lease *claimed)
{
    uint32_t count = 0;
    const int64_t soon = hy_boottime() + 20000000;
    while (count <= MOST &&
           xd_instances_acquire(instances, soon, &no_message, &claimed[count]) == HY_STATUS_OK)
        count++;
    return count;
}

TEST(xnnpack_instances, are_made_on_demand_up_to_a_limit)
{
    struct hy_builder builder;
    struct xd_lease claimed[MOST + 1], again[MOST + 1];
    struct xd_instances *instances = NULL;
    struct xd_program *program = make_program(&builder);
    REQUIRE(program != NULL);
    REQUIRE(xd_instances_create(program, 1, &no_message, &instances) == HY_STATUS_OK);
    const uint32_t count = claim_all(instances, claimed);
    EXPECT(count >= 2 && count <= MOST);
    for (uint32_t i = 0; i < count; i++)
        xd_instances_release(instances, &claimed[i]);

    /* The same ones again: they are kept. */
    EXPECT_INT(claim_all(instances, again), count);
    for (uint32_t i = 0; i < count; i++) {
        bool is_known = false;
        for (uint32_t k = 0; k < count; k++)
            is_known = is_known || again[i].instance == claimed[k].instance;
        EXPECT(is_known);
        xd_instances_release(instances, &again[i]);
    }
    xd_instances_destroy(instances);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

TEST(xnnpack_instances, have_threads_to_help_them_only_while_they_run_alone)
{
    struct hy_builder builder;
    struct xd_lease leases[2];
    struct xd_instances *instances = NULL;
    struct xd_program *program = make_program(&builder);
    REQUIRE(program != NULL);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        REQUIRE(xd_instances_create(program, threads, &no_message, &instances) == HY_STATUS_OK);
        for (uint32_t i = 0; i < 2; i++) {
            EXPECT_INT(xd_instances_acquire(instances, HY_NO_DEADLINE, &no_message, &leases[i]),
                       HY_STATUS_OK);
            EXPECT_INT(leases[i].is_alone, threads == 2 && i == 0);
        }
        for (uint32_t i = 0; i < 2; i++)
            xd_instances_release(instances, &leases[i]);
        xd_instances_destroy(instances);
    }
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

TEST(xnnpack_instances, waiting_for_one_ends_at_the_deadline)
{
    struct hy_builder builder;
    struct xd_lease claimed[MOST + 1], none = {.instance = NULL};
    struct xd_instances *instances = NULL;
    struct xd_program *program = make_program(&builder);
    REQUIRE(program != NULL);
    REQUIRE(xd_instances_create(program, 1, &no_message, &instances) == HY_STATUS_OK);
    const uint32_t count = claim_all(instances, claimed);
    const int64_t start = hy_boottime();
    EXPECT_INT(xd_instances_acquire(instances, start + 5000000, &no_message, &none),
               HY_STATUS_MISSED_DEADLINE_TRANSIENT);
    EXPECT(hy_boottime() - start >= 5000000);
    EXPECT(none.instance == NULL);
    for (uint32_t i = 0; i < count; i++)
        xd_instances_release(instances, &claimed[i]);
    xd_instances_destroy(instances);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

/* ---- More threads than instances ------------------------------------------------------------- */

struct part {
    struct xd_instances *instances;
    unsigned failures;
};

static void acquire_often(void *argument)
{
    struct part *part = argument;
    const struct timespec moment = {.tv_nsec = 20000};
    for (unsigned i = 0; i < 200; i++) {
        struct xd_lease lease;
        if (xd_instances_acquire(part->instances, HY_NO_DEADLINE, &no_message, &lease) !=
            HY_STATUS_OK) {
            part->failures++;
            continue;
        }
        /* Whoever holds it writes to it: two holders would not agree. */
        const uint8_t **arguments = xd_instance_arguments(lease.instance);
        arguments[0] = (const uint8_t *)part;
        if (i % 8 == 0)
            nanosleep(&moment, NULL);
        part->failures += arguments[0] != (const uint8_t *)part;
        xd_instances_release(part->instances, &lease);
    }
}

TEST(xnnpack_instances, belong_to_one_thread_at_a_time_and_all_get_one)
{
    struct hy_builder builder;
    struct part parts[12];
    struct xd_instances *instances = NULL;
    struct xd_program *program = make_program(&builder);
    REQUIRE(program != NULL);
    REQUIRE(xd_instances_create(program, 1, &no_message, &instances) == HY_STATUS_OK);
    for (unsigned i = 0; i < 12; i++)
        parts[i] = (struct part){.instances = instances};
    EXPECT(hy_threads_run(12, acquire_often, parts, sizeof *parts));
    for (unsigned i = 0; i < 12; i++)
        EXPECT_INT(parts[i].failures, 0);
    xd_instances_destroy(instances);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}

/* ---- Threads inside of one ------------------------------------------------------------------- */

TEST(xnnpack_instances, work_of_several_threads_is_the_same)
{
    enum { SIDE = 40, CHANNELS = 16, COUNT = SIDE * SIDE * CHANNELS };
    static float in[COUNT], out[2][COUNT], weights[CHANNELS * CHANNELS * 9], bias[CHANNELS];
    const struct hy_builder_type image = {
        .type = F32, .rank = 4, .dims = {1, SIDE, SIDE, CHANNELS}};
    const struct hy_builder_type filter = {
        .type = F32, .rank = 4, .dims = {CHANNELS, 3, 3, CHANNELS}};
    const struct hy_builder_type line = {.type = F32, .rank = 1, .dims = {CHANNELS}};
    struct hy_builder builder;
    struct xd_program *program = NULL;
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i % 17) / 17;
    for (int i = 0; i < CHANNELS * CHANNELS * 9; i++)
        weights[i] = (float)(i % 13) / 13 - 0.5f;
    hy_builder_init(&builder);
    const uint32_t inputs[] = {hy_builder_input(&builder, &image),
                               hy_builder_constant(&builder, &filter, weights, sizeof weights),
                               hy_builder_constant(&builder, &line, bias, sizeof bias),
                               hy_builder_int(&builder, ANEURALNETWORKS_PADDING_SAME),
                               hy_builder_int(&builder, 1),
                               hy_builder_int(&builder, 1),
                               hy_builder_int(&builder, 0)};
    const uint32_t output = hy_builder_output(&builder, &image);
    hy_builder_operation(&builder, ANEURALNETWORKS_CONV_2D, 7, inputs, 1, &output);
    REQUIRE(xd_compile(hy_test_host(), hy_builder_model(&builder), &no_message, &program) ==
            HY_STATUS_OK);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct xd_instance *instance = NULL;
        REQUIRE(xd_instance_create(program, threads, &no_message, &instance) == HY_STATUS_OK);
        memcpy(xd_instance_input_buffer(instance, 0), in, sizeof in);
        xd_instance_arguments(instance)[0] = xd_instance_input_buffer(instance, 0);
        xd_instance_arguments(instance)[1] = (uint8_t *)out[threads - 1];
        EXPECT_INT(xd_instance_run(instance, true, HY_NO_DEADLINE, NULL), HY_STATUS_OK);
        xd_instance_destroy(instance);
    }
    EXPECT(memcmp(out[0], out[1], sizeof out[0]) == 0);
    EXPECT(out[0][0] != 0);
    xd_program_destroy(program);
    hy_builder_finish(&builder);
}
