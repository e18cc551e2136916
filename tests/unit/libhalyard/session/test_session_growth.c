/* Outputs whose extents only a run can tell. The network is made inside of the library: no file of
 * today leaves an output open. */
#include <halyard/halyard.h>
#include <stdlib.h>

#include "libhalyard/session/session.h"
#include "networks.h"
#include "tests/kit/test.h"

/* float32[?] = TILE(float32[2], int32[1]), in the place of the sum of two float32[1,2]. */
static bool add_tile(struct hy_graph *graph)
{
    static const uint32_t inputs[] = {0, 1}, outputs[] = {2};
    const struct hy_graph_tensor tensors[] = {
        {.name = "x", .element = HY_ELEMENT_FLOAT32, .rank = 1, .extents = {2}},
        {.name = "times", .element = HY_ELEMENT_INT32, .rank = 1, .extents = {1}},
        {.name = "tiled", .element = HY_ELEMENT_FLOAT32, .rank = 1, .extents = {HY_UNKNOWN_EXTENT}},
    };
    const struct hy_graph_node tile = {.operator_ = HY_OPERATOR_TILE,
                                       .operator_name = "TILE",
                                       .input_count = 2,
                                       .inputs = inputs,
                                       .output_count = 1,
                                       .outputs = outputs};
    uint32_t index;

    for (int i = 0; i < 3; i++) {
        if (hy_graph_add_tensor(graph, &tensors[i], &index, NULL) != HY_OK)
            return false;
    }
    graph->inputs = inputs;
    graph->input_count = 2;
    graph->outputs = outputs;
    graph->output_count = 1;
    return hy_graph_add_node(graph, &tile, NULL) == HY_OK;
}

static bool open_tile(struct test_network *out)
{
    if (!test_network_sum(out))
        return false;
    struct hy_signature *signature = &out->network->signatures[0];
    hy_graph_finish(&signature->network->graph);
    hy_graph_finish(&signature->io);
    return add_tile(&signature->network->graph) &&
           hy_signature_describe(signature, 0, NULL) == HY_OK;
}

static void run(struct halyard_session *session, int32_t times, int result)
{
    void *x, *count;
    size_t length;

    EXPECT_INT(halyard_session_input_buffer(session, 0, &x, &length), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_input_buffer(session, 1, &count, &length), ANEURALNETWORKS_NO_ERROR);
    ((float *)x)[1] = 7;
    *(int32_t *)count = times;
    EXPECT_INT(halyard_session_run(session), result);
}

static void expect_tiles(struct halyard_session *session, int32_t times)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    void *bytes = NULL;
    size_t length = 0;

    EXPECT_INT(halyard_session_get_output(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.rank, 1);
    EXPECT_INT(info.extents[0], 2 * times);
    EXPECT_INT(halyard_session_output_buffer(session, 0, &bytes, &length),
               ANEURALNETWORKS_NO_ERROR);
    REQUIRE(length == (size_t)times * 2 * sizeof(float));
    for (int32_t i = 0; i < times; i++)
        EXPECT(((float *)bytes)[2 * i + 1] == 7);
}

TEST(session_growth, gives_an_output_the_room_that_a_run_asks_for)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network tile;

    REQUIRE(open_tile(&tile));
    REQUIRE(halyard_session_create(tile.network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_get_output(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.extents[0], HALYARD_UNKNOWN_EXTENT);
    run(session, 1, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 1);
    run(session, 1000, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 1000);
    run(session, 3, ANEURALNETWORKS_NO_ERROR); /* in the room that there is */
    expect_tiles(session, 3);
    halyard_session_free(session);
    test_network_close(&tile);
}

TEST(session_growth, refuses_a_run_whose_tensors_exceed_the_memory)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;
    struct test_network tile;

    REQUIRE(open_tile(&tile));
    options.max_memory = 64 << 10;
    REQUIRE(halyard_session_create(tile.network, &options, &session) == ANEURALNETWORKS_NO_ERROR);
    run(session, 1000, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 1000);
    run(session, 100000, ANEURALNETWORKS_OUT_OF_MEMORY);
    EXPECT_CONTAINS(halyard_last_error(), "800000 bytes");
    EXPECT_CONTAINS(halyard_last_error(), "more than the memory limit of 65536 bytes");
    run(session, 2000, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 2000);
    halyard_session_free(session);
    test_network_close(&tile);
}

/* All extents that the file tells are known, but not those of what computes them. */
TEST(session_growth, refuses_memory_for_extents_that_no_tensor_of_the_file_has)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;
    struct test_network hot;
    void *depth;
    size_t length;

    REQUIRE(test_network_one_hot(&hot));
    options.max_memory = 64 << 10;
    REQUIRE(halyard_session_create(hot.network, &options, &session) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_input_buffer(session, 1, &depth, &length), ANEURALNETWORKS_NO_ERROR);
    *(int32_t *)depth = 1;
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    *(int32_t *)depth = 1000000;
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_OUT_OF_MEMORY);
    EXPECT_CONTAINS(halyard_last_error(), "more than the memory limit of 65536 bytes");
    halyard_session_free(session);
    test_network_close(&hot);
}

/* The tensors and operators of the file are as large as what a compilation keeps of them. */
TEST(session_growth, a_session_keeps_nothing_of_the_file_that_it_does_not_need)
{
    struct halyard_session *session = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    const struct hy_signature *signature = &sum.network->signatures[0];
    EXPECT(signature->network->source == sum.network->source);
    REQUIRE(halyard_session_create(sum.network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    EXPECT(sum.network->source == NULL);
    EXPECT_INT(session->lowered->graph.node_count, 0);
    EXPECT_INT(session->lowered->graph.tensor_count, 3);
    EXPECT(session->lowered->source == NULL);
    halyard_session_free(session);
    REQUIRE(halyard_session_create(sum.network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    halyard_session_free(session);
    test_network_close(&sum);
}

/* NNAPI has no fences for outputs whose extents only a run can tell. */
TEST(session_growth, runs_without_fences_in_a_session_of_fenced_runs)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;
    struct halyard_session *session = NULL;
    struct test_network tile;

    REQUIRE(open_tile(&tile));
    options.fenced = true;
    REQUIRE(halyard_session_create(tile.network, &options, &session) == ANEURALNETWORKS_NO_ERROR);
    run(session, 3, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 3);
    halyard_session_free(session);
    test_network_close(&tile);
}

TEST(session_growth, leaves_bound_memory_and_says_how_much_is_missing)
{
    float bound[8];
    struct halyard_session *session = NULL;
    struct test_network tile;

    REQUIRE(open_tile(&tile));
    REQUIRE(halyard_session_create(tile.network, NULL, &session) == ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_bind_output(session, 0, bound, sizeof bound),
               ANEURALNETWORKS_NO_ERROR);
    run(session, 4, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 4);
    EXPECT(bound[7] == 7);
    run(session, 5, ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_STR(halyard_last_error(), "output 0 (tiled) needs 40 bytes, 32 are bound");
    EXPECT_INT(halyard_session_bind_output(session, 0, NULL, 0), ANEURALNETWORKS_NO_ERROR);
    run(session, 50, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 50);
    EXPECT_INT(halyard_session_bind_output(session, 0, bound, sizeof bound),
               ANEURALNETWORKS_NO_ERROR);
    run(session, 2, ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_bind_output(session, 0, NULL, 0), ANEURALNETWORKS_NO_ERROR);
    run(session, 50, ANEURALNETWORKS_NO_ERROR);
    expect_tiles(session, 50);
    halyard_session_free(session);
    test_network_close(&tile);
}
