/* Networks: opening, and what they tell. */
#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "networks.h"
#include "tests/kit/test.h"

TEST(network, from_a_file_tells_its_format_and_signature)
{
    struct halyard_network *network = NULL;
    uint32_t signature = 7;

    REQUIRE(open_digits(&network));
    EXPECT_STR(halyard_network_format(network), "tflite");
    EXPECT(halyard_network_description(network) != NULL);
    EXPECT_INT(halyard_network_signature_count(network), 1);
    EXPECT_STR(halyard_network_signature_name(network, 0), "");
    EXPECT(halyard_network_signature_name(network, 1) == NULL);
    EXPECT_INT(halyard_network_find_signature(network, "", &signature), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(signature, 0);
    EXPECT_INT(halyard_network_find_signature(network, "serve", &signature),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "no signature has the name \"serve\"; known: \"\"");
    halyard_network_close(network);
}

TEST(network, tells_name_type_shape_and_scale_of_inputs_and_outputs)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_network *network = NULL;

    REQUIRE(open_digits(&network));
    EXPECT_INT(halyard_network_input_count(network, 0), 1);
    EXPECT_INT(halyard_network_output_count(network, 0), 1);
    EXPECT_INT(halyard_network_get_input(network, 0, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT(info.name && *info.name);
    EXPECT_STR(halyard_network_type_name(info.type), "int8");
    REQUIRE(info.rank == 4);
    EXPECT_INT(info.extents[1], 28);
    EXPECT_INT(info.scale_count, 1);
    EXPECT(info.scales && info.scales[0] > 0);
    EXPECT_INT(halyard_network_get_output(network, 0, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.rank, 2);
    EXPECT_INT(info.extents[1], 10);
    EXPECT_INT(halyard_network_get_output(network, 0, 1, &info), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "output 1 does not exist, the signature has 1");
    EXPECT_INT(halyard_network_get_input(network, 1, 0, &info), ANEURALNETWORKS_BAD_DATA);
    EXPECT_STR(halyard_last_error(), "signature 1 does not exist, the network has 1");
    halyard_network_close(network);
}

TEST(network, tells_which_extents_the_file_leaves_open)
{
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    EXPECT_INT(halyard_network_get_input(sum.network, 0, 1, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(info.name, "b");
    EXPECT_INT(info.extents[0], HALYARD_UNKNOWN_EXTENT);
    EXPECT_INT(info.extents[1], 2);
    EXPECT_INT(halyard_network_get_output(sum.network, 0, 0, &info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(info.extents[0], HALYARD_UNKNOWN_EXTENT);
    test_network_close(&sum);
}

/* Callers of other versions have structs of other sizes. */
/* Names, types and extents of the inputs and outputs, operators and memory as one text. */
static void describe(struct halyard_network *network, char *text, size_t size)
{
    struct halyard_network_memory memory = {.struct_size = sizeof memory};
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    struct halyard_network_operator made = {.struct_size = sizeof made};
    size_t length = 0;

    for (uint32_t i = 0; i < halyard_network_signature_count(network); i++) {
        length += (size_t)snprintf(text + length, size - length,
                                   "%s: ", halyard_network_signature_name(network, i));
        for (uint32_t j = 0; j < halyard_network_input_count(network, i); j++) {
            EXPECT_INT(halyard_network_get_input(network, i, j, &info), ANEURALNETWORKS_NO_ERROR);
            length += (size_t)snprintf(text + length, size - length, "%s %d %d ", info.name,
                                       info.type, info.extents[0]);
        }
        for (uint32_t j = 0; j < halyard_network_output_count(network, i); j++) {
            EXPECT_INT(halyard_network_get_output(network, i, j, &info), ANEURALNETWORKS_NO_ERROR);
            length += (size_t)snprintf(text + length, size - length, "%s %d %d ", info.name,
                                       info.type, info.extents[0]);
        }
        for (uint32_t j = 0; j < halyard_network_operator_count(network, i); j++) {
            EXPECT_INT(halyard_network_get_operator(network, i, j, &made),
                       ANEURALNETWORKS_NO_ERROR);
            length += (size_t)snprintf(text + length, size - length, "%s %s %s ", made.name,
                                       made.types, made.lowering);
        }
        EXPECT_INT(halyard_network_get_memory(network, i, &memory), ANEURALNETWORKS_NO_ERROR);
        length +=
            (size_t)snprintf(text + length, size - length, "%llu %llu %llu %llu\n",
                             (unsigned long long)memory.mapped, (unsigned long long)memory.made,
                             (unsigned long long)memory.io, (unsigned long long)memory.peak);
    }
}

TEST(network, tells_the_same_when_sessions_have_been_made)
{
    static bool (*const makers[])(struct test_network *) = {
        test_network_sum, test_network_lookup, test_network_loop, test_network_signatures};
    char before[4096], after[4096], later[4096];

    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        struct test_network first, second;
        struct halyard_session *session = NULL;
        REQUIRE(makers[i](&first) && makers[i](&second));
        describe(first.network, before, sizeof before);
        EXPECT_INT(halyard_session_create(first.network, NULL, &session), ANEURALNETWORKS_NO_ERROR);
        describe(first.network, after, sizeof after);
        halyard_session_free(session);
        EXPECT_INT(halyard_session_create(second.network, NULL, &session),
                   ANEURALNETWORKS_NO_ERROR);
        describe(second.network, later, sizeof later);
        halyard_session_free(session);
        EXPECT_STR(after, before);
        EXPECT_STR(later, before);
        test_network_close(&first);
        test_network_close(&second);
    }
}

TEST(network, fills_as_much_of_a_struct_as_the_caller_has)
{
    struct {
        struct halyard_tensor_info info;
        char beyond[8];
    } large = {.info.struct_size = sizeof large, .beyond = "beyond"};
    struct halyard_tensor_info small = {.struct_size = offsetof(struct halyard_tensor_info, rank),
                                        .rank = 99};
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    EXPECT_INT(halyard_network_get_input(sum.network, 0, 0, &small), ANEURALNETWORKS_NO_ERROR);
    EXPECT_STR(small.name, "a");
    EXPECT_INT(small.rank, 99);
    EXPECT_INT(halyard_network_get_input(sum.network, 0, 0, &large.info), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(large.info.rank, 2);
    EXPECT_STR(large.beyond, "beyond");
    small.struct_size = 0;
    EXPECT_INT(halyard_network_get_input(sum.network, 0, 0, &small), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "struct_size is 0");
    test_network_close(&sum);
}

TEST(network, options_of_no_size_are_refused)
{
    const struct halyard_network_options options = {0};
    struct halyard_network *network = NULL;

    EXPECT_INT(halyard_network_open_memory("TFL3", 4, &options, &network),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT(network == NULL);
}

TEST(network, gives_one_model_for_all_who_ask)
{
    const ANeuralNetworksModel *first = NULL, *second = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    EXPECT_INT(halyard_network_get_model(sum.network, 0, &first), ANEURALNETWORKS_NO_ERROR);
    EXPECT_INT(halyard_network_get_model(sum.network, 0, &second), ANEURALNETWORKS_NO_ERROR);
    EXPECT(first != NULL && first == second);
    EXPECT_INT(halyard_network_get_model(sum.network, 1, &first), ANEURALNETWORKS_BAD_DATA);
    EXPECT(first == NULL);
    test_network_close(&sum);
}

/* Such a network can be looked at, and not be run. */
TEST(network, with_an_unknown_operator_opens_and_has_no_model)
{
    const ANeuralNetworksModel *model = NULL;
    struct halyard_session *session = NULL;
    struct test_network custom;

    REQUIRE(test_network_custom(&custom));
    EXPECT_INT(halyard_network_input_count(custom.network, 0), 1);
    EXPECT_INT(halyard_network_get_model(custom.network, 0, &model), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "operator 0 CUSTOM Strange");
    EXPECT_INT(halyard_session_create(custom.network, NULL, &session), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "operator 0 CUSTOM Strange");
    EXPECT(session == NULL);
    test_network_close(&custom);
}

TEST(network, from_no_file_names_the_path)
{
    struct halyard_network *network = NULL;

    EXPECT_INT(halyard_network_open("/proc/nonexistent/model.tflite", NULL, &network),
               ANEURALNETWORKS_UNMAPPABLE);
    EXPECT_STR(halyard_last_error(), "/proc/nonexistent/model.tflite: No such file or directory");
    EXPECT_INT(halyard_last_error_code(), ANEURALNETWORKS_UNMAPPABLE);
    EXPECT_INT(halyard_network_open("/", NULL, &network), ANEURALNETWORKS_BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "/: ");
    EXPECT(network == NULL);
}

TEST(network, of_bytes_that_are_none_is_refused_in_words)
{
    static const char text[64] = "this is no network";
    struct halyard_network *network = NULL;

    EXPECT_INT(halyard_network_open_memory(text, sizeof text, NULL, &network),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT(*halyard_last_error() != '\0');
    EXPECT_INT(halyard_network_open_memory(text, 0, NULL, &network), ANEURALNETWORKS_BAD_DATA);
    EXPECT(network == NULL);
}

/* Cut at each of many places, a file is wrong or still the same network. */
TEST(network, of_a_cut_file_is_an_error_or_opens)
{
    struct halyard_network *network = NULL;
    struct test_network sum;

    REQUIRE(test_network_sum(&sum));
    for (size_t length = 1; length < sum.length; length += 3) {
        char *cut = malloc(length); /* of exactly its bytes, for sanitizers */
        REQUIRE(cut != NULL);
        memcpy(cut, sum.bytes, length);
        const int result = halyard_network_open_memory(cut, length, NULL, &network);
        EXPECT(result == ANEURALNETWORKS_NO_ERROR || *halyard_last_error() != '\0');
        halyard_network_close(network);
        free(cut);
    }
    test_network_close(&sum);
}

TEST(network, nulls_are_refused_or_give_nothing)
{
    const int null = ANEURALNETWORKS_UNEXPECTED_NULL;
    struct halyard_tensor_info info = {.struct_size = sizeof info};
    const ANeuralNetworksModel *model = NULL;
    struct halyard_network *network = NULL;
    struct test_network sum;
    uint32_t signature;

    REQUIRE(test_network_sum(&sum));
    EXPECT_INT(halyard_network_open(NULL, NULL, &network), null);
    EXPECT_STR(halyard_last_error(), "network_open: path is NULL");
    EXPECT_INT(halyard_network_open("x", NULL, NULL), null);
    EXPECT_INT(halyard_network_open_memory(NULL, 4, NULL, &network), null);
    EXPECT_INT(halyard_network_open_memory("x", 1, NULL, NULL), null);
    halyard_network_close(NULL);
    EXPECT(halyard_network_format(NULL) == NULL);
    EXPECT(halyard_network_description(NULL) == NULL);
    EXPECT_INT(halyard_network_signature_count(NULL), 0);
    EXPECT(halyard_network_signature_name(NULL, 0) == NULL);
    EXPECT_INT(halyard_network_find_signature(NULL, "", &signature), null);
    EXPECT_INT(halyard_network_find_signature(sum.network, NULL, &signature), null);
    EXPECT_INT(halyard_network_find_signature(sum.network, "", NULL), null);
    EXPECT_INT(halyard_network_input_count(NULL, 0), 0);
    EXPECT_INT(halyard_network_output_count(NULL, 0), 0);
    EXPECT_INT(halyard_network_get_input(NULL, 0, 0, &info), null);
    EXPECT_INT(halyard_network_get_input(sum.network, 0, 0, NULL), null);
    EXPECT_INT(halyard_network_get_output(NULL, 0, 0, &info), null);
    EXPECT_INT(halyard_network_get_output(sum.network, 0, 0, NULL), null);
    EXPECT_INT(halyard_network_get_model(NULL, 0, &model), null);
    EXPECT_INT(halyard_network_get_model(sum.network, 0, NULL), null);
    test_network_close(&sum);
}

TEST(network, types_have_names)
{
    EXPECT_STR(halyard_network_type_name(HALYARD_TYPE_FLOAT32), "float32");
    EXPECT_STR(halyard_network_type_name(HALYARD_TYPE_BFLOAT16), "bfloat16");
    EXPECT(halyard_network_type_name(19) == NULL);
    EXPECT(halyard_network_type_name(-1) == NULL);
}
