/* Extensions: names and prefixes, and operand types that devices bring along. The table is the
 * process's, so each test has names of its own. */
#include "common/operations/operand_type.h"
#include "runtime/extension/code_text.h"
#include "runtime/extension/extension.h"
#include "runtime/extension/type_info.h"
#include "runtime/handle/handle.h"
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/extension_fixture.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- Names and prefixes ---------------------------------------------------------------------- */

TEST(runtime_extension, name_keeps_the_prefix_it_got_first)
{
    uint32_t first = 0, second = 0, again = 0;

    EXPECT_INT(hy_extension_prefix("com.acme.first", &first, NULL), HY_OK);
    EXPECT_INT(hy_extension_prefix("com.acme.a_second", &second, NULL), HY_OK);
    EXPECT_INT(hy_extension_prefix("com.acme.first", &again, NULL), HY_OK);
    EXPECT(first > 0 && first <= HY_EXTENSION_PREFIX_LAST);
    EXPECT(first != second);
    EXPECT_INT(again, first);
    EXPECT_STR(hy_extension_name(first), "com.acme.first");
    EXPECT_STR(hy_extension_name(second), "com.acme.a_second");
}

TEST(runtime_extension, own_extension_has_the_last_prefix)
{
    uint32_t prefix = 0;

    EXPECT_INT(hy_extension_prefix("org.halyard.operations", &prefix, NULL), HY_OK);
    EXPECT_INT(prefix, HY_EXTENSION_PREFIX_LAST);
    EXPECT_STR(hy_extension_name(HY_EXTENSION_PREFIX_LAST), "org.halyard.operations");
}

TEST(runtime_extension, prefix_that_was_never_given_has_no_name)
{
    EXPECT(hy_extension_name(0) == NULL);
    EXPECT(hy_extension_name(32000) == NULL);
    EXPECT(hy_extension_name(HY_EXTENSION_PREFIX_LAST + 1) == NULL);
    EXPECT(hy_extension_name(UINT32_MAX) == NULL);
}

static void *ask_for_names(void *argument)
{
    uint32_t *prefixes = argument;
    char name[32];

    for (uint32_t i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "com.acme.thread%u", i);
        if (hy_extension_prefix(name, &prefixes[i], NULL) != HY_OK)
            prefixes[i] = 0;
    }
    return NULL;
}

TEST(runtime_extension, threads_that_ask_at_once_get_the_same_prefixes)
{
    static uint32_t prefixes[4][100];
    pthread_t threads[4];

    for (uint32_t i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, ask_for_names, prefixes[i]) == 0);
    for (uint32_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 1; i < 4; i++)
        EXPECT(memcmp(prefixes[0], prefixes[i], sizeof prefixes[0]) == 0);
    EXPECT(prefixes[0][0] != 0);
}

/* ---- What devices say ------------------------------------------------------------------------ */

TEST(runtime_extension, operand_types_are_those_that_a_device_describes)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct hy_type_info type_info;

    init_npu(&fake, 0);
    EXPECT(!hy_type_info_find(code_of("com.acme.types", PAIR), &type_info));
    offer(&fake, &extension, "com.acme.types");
    REQUIRE(hy_type_info_find(code_of("com.acme.types", PAIR), &type_info));
    EXPECT(!type_info.is_scalar);
    EXPECT_INT(type_info.element_bytes, 8);
    EXPECT_INT(type_info.feature_level, 3);
    REQUIRE(hy_type_info_find(code_of("com.acme.types", KEY), &type_info));
    EXPECT(type_info.is_scalar);
    EXPECT_INT(type_info.element_bytes, 6);
    EXPECT(!hy_type_info_find(code_of("com.acme.types", 7), &type_info));
    EXPECT(!hy_type_info_find(INT32_MIN, &type_info));
    EXPECT(!hy_type_info_find(-1, &type_info));
}

TEST(runtime_extension, devices_that_agree_share_an_extension)
{
    const struct hy_extension_operand_type other_order[] = {pair_and_key[1], pair_and_key[0]};
    struct fake_device one, other;
    struct hy_extension first, second;

    init_npu(&one, 0);
    init_npu(&other, 0);
    offer(&one, &first, "com.acme.shared");
    offer(&other, &second, "com.acme.shared");
    second.operand_types = other_order;
    EXPECT_INT(hy_extensions_learn(&other.device.info, NULL), HY_OK);
    EXPECT(hy_extension_is_offered(hy_extension_prefix_of(code_of("com.acme.shared", 0)),
                                   &one.device.info));
}

TEST(runtime_extension, devices_may_list_different_operand_types)
{
    const char *name = "com.acme.types_apart";
    struct fake_device one, other;
    struct hy_extension first, second;
    struct hy_type_info type_info;

    init_npu(&one, 0);
    init_npu(&other, 0);
    offer_one(&one, &first, name, &pair_and_key[0], DOUBLE_IT);
    offer_one(&other, &second, name, &pair_and_key[1], DOUBLE_IT);
    EXPECT(hy_type_info_find(code_of(name, PAIR), &type_info));
    EXPECT(hy_type_info_find(code_of(name, KEY), &type_info));
    EXPECT(hy_extension_type_is_offered(code_of(name, KEY), &one.device.info));
    EXPECT(!hy_extension_type_is_offered(code_of(name, PAIR), &one.device.info));
    EXPECT(hy_extension_type_is_offered(code_of(name, PAIR), &other.device.info));
    EXPECT(hy_extension_is_offered(hy_extension_prefix_of(code_of(name, 0)), &one.device.info));
}

TEST(runtime_extension, devices_that_contradict_each_other_disable_it)
{
    struct hy_extension_operand_type larger[] = {pair_and_key[0], pair_and_key[1]};
    struct fake_device one, other;
    struct hy_extension first, second;
    struct hy_type_info type_info;
    const int32_t type = code_of("com.acme.contested", PAIR);

    init_npu(&one, 0);
    init_npu(&other, 0);
    offer(&one, &first, "com.acme.contested");
    EXPECT(hy_type_info_find(type, &type_info));
    second = (struct hy_extension){
        .name = "com.acme.contested", .operand_types = larger, .operand_type_count = 2};
    larger[1].byte_size = 16;
    other.device.info.extensions = &second;
    other.device.info.extension_count = 1;
    EXPECT_INT(hy_extensions_learn(&other.device.info, NULL), HY_OK);
    EXPECT(!hy_type_info_find(type, &type_info));
    EXPECT(!hy_extension_is_offered(hy_extension_prefix_of(type), &one.device.info));
    EXPECT_INT(hy_extensions_learn(&one.device.info, NULL), HY_OK); /* once and for all */
    EXPECT(!hy_type_info_find(type, &type_info));
}

/* Nobody can take the extension of Halyard's own away from the others. */
TEST(runtime_extension, device_with_other_types_of_the_own_extension_offers_nothing_of_it)
{
    static const struct hy_extension_operand_type good[] = {
        {.code = HALYARD_TENSOR_INT64, .is_tensor = 1, .byte_size = 8},
        {.code = 4711, .is_tensor = 1, .byte_size = 3}}; /* of a later version */
    static const struct hy_extension_operand_type bad[] = {
        {.code = HALYARD_TENSOR_INT64, .is_tensor = 1, .byte_size = 4}};
    const struct hy_extension whole = {HALYARD_OPERATIONS_NAME, good, 2, 0},
                              wrong = {HALYARD_OPERATIONS_NAME, bad, 1, 0};
    const uint32_t prefix = hy_extension_prefix_of(HY_TENSOR_INT64);
    struct fake_device one, other;
    struct hy_type_info type_info;

    init_npu(&one, 0);
    init_npu(&other, 0);
    one.device.info.extensions = &whole;
    other.device.info.extensions = &wrong;
    one.device.info.extension_count = other.device.info.extension_count = 1;
    EXPECT_INT(hy_extensions_learn(&other.device.info, NULL), HY_OK);
    EXPECT_INT(hy_extensions_learn(&one.device.info, NULL), HY_OK);
    EXPECT(hy_extension_is_offered(prefix, &one.device.info));
    EXPECT(hy_extension_type_is_offered(HY_TENSOR_INT64, &one.device.info));
    EXPECT(!hy_extension_is_offered(prefix, &other.device.info));
    EXPECT(!hy_extension_type_is_offered(HY_TENSOR_INT64, &other.device.info));
    EXPECT(hy_type_info_find(HY_TENSOR_INT64, &type_info));
    EXPECT(!hy_type_info_find(HY_OPERATIONS_CODE(4711), &type_info));
}

TEST(runtime_extension, malformed_name_of_a_device_is_not_listed)
{
    static const char *const names[] = {"nodots",     "Com.acme.x", "com.acme x",
                                        "com.acme-x", "",           NULL};
    struct fake_device fake;
    struct hy_extension extension = {.operand_types = pair_and_key, .operand_type_count = 2};
    struct hy_type_info type_info;

    init_npu(&fake, 0);
    fake.device.info.extensions = &extension;
    fake.device.info.extension_count = 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        extension.name = names[i];
        EXPECT_INT(hy_extensions_learn(&fake.device.info, NULL), HY_OK);
        if (names[i])
            EXPECT(!hy_type_info_find(code_of(names[i], PAIR), &type_info));
    }
}

/* ---- Words ----------------------------------------------------------------------------------- */

TEST(runtime_extension, codes_have_names_that_lead_back_to_them)
{
    const int32_t code = code_of("com.acme.words", 65535);
    int32_t back = 0;

    EXPECT_STR(hy_operation_text(ANEURALNETWORKS_CONV_2D), "CONV_2D");
    EXPECT_STR(hy_operand_type_text(ANEURALNETWORKS_TENSOR_FLOAT32), "TENSOR_FLOAT32");
    EXPECT_STR(hy_operation_text(code), "com.acme.words#65535");
    EXPECT_STR(hy_operand_type_text(code), "com.acme.words#65535");
    EXPECT_STR(hy_operation_text(code_of("com.acme.words", 0)), "com.acme.words#0");
    EXPECT_STR(hy_operation_text(HY_EXT_CEIL), "org.halyard.operations.CEIL");
    EXPECT_STR(hy_operand_type_text(HY_TENSOR_INT64), "org.halyard.operations.TENSOR_INT64");
    EXPECT(hy_operation_text(code) == hy_operand_type_text(code)); /* made once */
    EXPECT_INT(hy_operation_of_text("CONV_2D", &back, NULL), HY_OK);
    EXPECT_INT(back, ANEURALNETWORKS_CONV_2D);
    EXPECT_INT(hy_operand_type_find_text("TENSOR_FLOAT32", &back, NULL), HY_OK);
    EXPECT_INT(back, ANEURALNETWORKS_TENSOR_FLOAT32);
    EXPECT_INT(hy_operation_of_text("org.halyard.operations.CEIL", &back, NULL), HY_OK);
    EXPECT_INT(back, HY_EXT_CEIL);
    EXPECT_INT(hy_operation_of_text("com.acme.words#65535", &back, NULL), HY_OK);
    EXPECT_INT(back, code);
    EXPECT_INT(hy_operation_find_text("com.acme.words#65535", &back, NULL), HY_OK);
    EXPECT_INT(back, code);
    EXPECT_INT(hy_operation_of_text("com.acme.new_words#7", &back, NULL), HY_OK);
    EXPECT_INT(back, code_of("com.acme.new_words", 7));
}

TEST(runtime_extension, names_of_nobody_have_no_code_and_get_no_prefix)
{
    static const char *const texts[] = {"com.acme.unheard#7", "com.acme.unheard.FORWARD_2D",
                                        "org.halyard.operations.OF_TOMORROW"};
    uint32_t prefix;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int32_t code = 0;
        EXPECT_INT(hy_operation_find_text(texts[i], &code, NULL), HY_OK);
        EXPECT_INT(code, HY_UNKNOWN_CODE);
        code = 0;
        EXPECT_INT(hy_operand_type_find_text(texts[i], &code, NULL), HY_OK);
        EXPECT_INT(code, HY_UNKNOWN_CODE);
    }
    EXPECT(!hy_extension_find_prefix("com.acme.unheard", &prefix));
    EXPECT(hy_extension_find_prefix(HALYARD_OPERATIONS_NAME, &prefix));
}

TEST(runtime_extension, texts_that_name_no_code_are_refused)
{
    static const char *const texts[] = {"",
                                        "CONV",
                                        "com.acme.words",
                                        "com.acme.words#",
                                        "com.acme.words#-1",
                                        "com.acme.words#65536",
                                        "com.acme.words#000001",
                                        "com.acme.words#1#2",
                                        "com.acme.words#1 ",
                                        "nodots#1",
                                        "#1",
                                        "Com.Acme#1",
                                        "com.acme.",
                                        ".FORWARD",
                                        "com.FORWARD",
                                        "com.acme.forward",
                                        "com.acme.FORWARD#1"};
    struct hy_error err;
    int32_t code;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        EXPECT_INT(hy_operation_of_text(texts[i], &code, &err), HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, "operation \"");
        EXPECT_INT(hy_operation_find_text(texts[i], &code, &err), HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, "operation \"");
        EXPECT_INT(hy_operand_type_find_text(texts[i], &code, &err), HY_BAD_DATA);
        EXPECT_CONTAINS(err.text, "type \"");
    }
}

/* An app may ask for the prefix of any name. */
TEST(runtime_extension, name_of_a_code_is_one_printable_line)
{
    static char name[1000];
    memset(name, 'x', sizeof name - 1);
    name[3] = '\n';

    const char *text = hy_operation_text(code_of(name, 5));
    EXPECT_CONTAINS(text, "xxx xxx");
    EXPECT_STR(text + HY_MAX_TEXT, "#5");
}

TEST(runtime_extension, errors_name_operations_and_types)
{
    struct fake_device fake;
    struct hy_extension extension;
    struct fixture f = fixture_create();
    const uint32_t none = 99;
    const struct hy_operand_spec scaled = {.type = code_of("com.acme.errors", KEY), .scale = 1};
    const struct hy_operand_spec unknown = {.type = code_of("com.acme.errors", 77)};

    init_npu(&fake, 0);
    offer(&fake, &extension, "com.acme.errors");
    const uint32_t x = floats(&f, EXTENT);
    EXPECT_INT(op(&f, fake.extension_operation, 1, &none, x), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "com.acme.errors#3: input 0: operand 99 does not exist");
    EXPECT_INT(op(&f, fake.extension_operation, 1, &x, none), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "com.acme.errors#3: output 0: operand 99 does not exist");
    EXPECT_INT(hy_app_model_add_operand(f.model, &scaled, &f.err), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "operand 1: com.acme.errors#2: ");
    EXPECT_INT(hy_app_model_add_operand(f.model, &unknown, &f.err), HY_BAD_DATA);
    EXPECT_CONTAINS(f.err.text, "type com.acme.errors#77 does not exist on any device");
    fixture_free(&f);
}

/* ---- The end of all prefixes ----------------------------------------------------------------- */

/* The last one: afterwards there are no prefixes left in this process. */
TEST(runtime_extension, prefixes_run_out_with_bad_data)
{
    ANeuralNetworksModel *model = hy_model_handle(chain_model());
    enum hy_code code = HY_OK;
    uint32_t prefix = 0;
    char name[32];
    int32_t type;
    REQUIRE(model != NULL);

    for (uint32_t i = 0; code == HY_OK && i <= HY_EXTENSION_PREFIX_LAST; i++) {
        snprintf(name, sizeof name, "com.acme.many%u", i);
        code = hy_extension_prefix(name, &prefix, NULL);
    }
    EXPECT_INT(code, HY_BAD_DATA);
    EXPECT_INT(prefix, HY_EXTENSION_PREFIX_LAST - 1);
    EXPECT_INT(hy_extension_prefix("org.halyard.operations", &prefix, NULL), HY_OK);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.late", 0, &type),
               ANEURALNETWORKS_BAD_DATA);
    EXPECT_INT(ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.many0", 0, &type),
               ANEURALNETWORKS_NO_ERROR);
    ANeuralNetworksModel_free(model);
}
