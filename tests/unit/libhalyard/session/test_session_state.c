/* Signatures, and what a session keeps from one run to the next. */
#include <halyard/halyard.h>

#include "networks.h"
#include "tests/kit/test.h"

static bool create(struct halyard_network *network, const char *signature,
                   struct halyard_session **session)
{
    struct halyard_session_options options = HALYARD_SESSION_OPTIONS;

    if (halyard_network_find_signature(network, signature, &options.signature) ==
            ANEURALNETWORKS_NO_ERROR &&
        halyard_session_create(network, &options, session) == ANEURALNETWORKS_NO_ERROR)
        return true;
    hy_test_fail(__FILE__, __LINE__, "%s", halyard_last_error());
    return false;
}

/* The first element of the output for 3, 0. */
static float run(struct halyard_session *session)
{
    void *input = NULL, *output = NULL;
    size_t length;

    EXPECT_INT(halyard_session_input_buffer(session, 0, &input, &length), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_session_output_buffer(session, 0, &output, &length),
               ANEURALNETWORKS_NO_ERROR);
    ((float *)input)[0] = 3;
    EXPECT_INT(halyard_session_run(session), ANEURALNETWORKS_NO_ERROR);
    return ((float *)output)[0];
}

TEST(session_signature, each_has_its_own_inputs_outputs_and_names)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network network;
    uint32_t signature;

    REQUIRE(test_network_signatures(&network));
    EXPECT_INT(halyard_network_signature_count(network.network), 2);
    EXPECT_STR(halyard_network_signature_name(network.network, 0), "accumulate");
    EXPECT_STR(halyard_network_signature_name(network.network, 1), "double");
    EXPECT_INT(halyard_network_find_signature(network.network, "serve", &signature),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "known: \"accumulate\", \"double\"");
    EXPECT_INT(halyard_network_input_count(network.network, 0), 1); /* without the state */
    EXPECT_INT(halyard_network_output_count(network.network, 0), 1);
    EXPECT_INT(halyard_network_get_input(network.network, 0, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.name, "addend");
    EXPECT_INT(halyard_network_get_output(network.network, 1, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.name, "y");
    REQUIRE(create(network.network, "double", &session));
    EXPECT_INT(halyard_session_get_output(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.name, "y");
    EXPECT(run(session) == 6);
    EXPECT_INT(halyard_session_state_count(session), 0);
    halyard_session_free(session);
    test_network_close(&network);
}

TEST(session_state, is_kept_from_run_to_run_by_each_session_for_itself)
{
    struct halyard_session *first = NULL, *second = NULL;
    struct test_network network;

    REQUIRE(test_network_signatures(&network));
    REQUIRE(create(network.network, "accumulate", &first));
    REQUIRE(create(network.network, "accumulate", &second));
    EXPECT(run(first) == 4);
    EXPECT(run(first) == 7);
    EXPECT(run(second) == 4);
    EXPECT(run(first) == 10);
    halyard_session_free(first);
    halyard_session_free(second);
    test_network_close(&network);
}

TEST(session_state, can_be_read_written_and_reset)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network network;
    float contents[2];

    REQUIRE(test_network_signatures(&network));
    REQUIRE(create(network.network, "accumulate", &session));
    EXPECT_INT(halyard_session_state_count(session), 1);
    EXPECT_INT(halyard_session_get_state(session, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.type, HALYARD_TYPE_FLOAT32);
    REQUIRE(info.rank == 1);
    EXPECT_INT(info.extents[0], 2);
    EXPECT(run(session) == 4);
    EXPECT_INT(halyard_session_read_state(session, 0, contents, sizeof contents),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(contents[0] == 4 && contents[1] == 2);
    contents[0] = 100;
    EXPECT_INT(halyard_session_write_state(session, 0, contents, sizeof contents),
               ANEURALNETWORKS_NO_ERROR);
    EXPECT(run(session) == 103);
    EXPECT_INT(halyard_session_reset_state(session), ANEURALNETWORKS_NO_ERROR);
    EXPECT(run(session) == 4);
    halyard_session_free(session);
    test_network_close(&network);
}

TEST(session_state, refuses_what_is_out_of_range)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_session *session = NULL;
    struct test_network network;
    float contents[2];

    REQUIRE(test_network_signatures(&network));
    REQUIRE(create(network.network, "accumulate", &session));
    EXPECT_INT(halyard_session_get_state(session, 1, &info), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "state 1 does not exist, the session has 1");
    EXPECT_INT(halyard_session_get_state(session, 0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_read_state(session, 1, contents, sizeof contents),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_read_state(session, 0, contents, 4), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_read_state(session, 0, NULL, 4), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(halyard_session_write_state(session, 0, contents, 12), ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(halyard_session_write_state(session, 0, NULL, 8), ANEURALNETWORKS_UNEXPECTED_NULL);
    halyard_session_free(session);
    test_network_close(&network);
}

TEST(session_state, stays_as_it_was_when_a_run_is_cancelled)
{
    struct halyard_session *session = NULL;
    struct test_network network;
    float contents[2];

    REQUIRE(test_network_signatures(&network));
    REQUIRE(create(network.network, "accumulate", &session));
    float wanted = 1;
    for (int i = 0; i < 50; i++) {
        void *input = NULL;
        size_t length;
        EXPECT_INT(halyard_session_input_buffer(session, 0, &input, &length),
                   ANEURALNETWORKS_NO_ERROR);
        ((float *)input)[0] = 3;
        EXPECT_INT(halyard_session_start(session, NULL, NULL), ANEURALNETWORKS_NO_ERROR);
        EXPECT_INT(halyard_session_read_state(session, 0, contents, sizeof contents),
                   ANEURALNETWORKS_BAD_STATE);
        EXPECT_INT(halyard_session_cancel(session), ANEURALNETWORKS_NO_ERROR);
        if (halyard_session_wait(session) == ANEURALNETWORKS_NO_ERROR) /* it came too late */
            wanted += 3;
        EXPECT_INT(halyard_session_read_state(session, 0, contents, sizeof contents),
                   ANEURALNETWORKS_NO_ERROR);
        EXPECT(contents[0] == wanted);
    }
    halyard_session_free(session);
    test_network_close(&network);
}
