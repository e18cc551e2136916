/* The devices that manifests make of the one sample library. */
#include "tests/kit/test.h"
#include "tests/unit/plugins/kit/sample_fixture.h"

#define F32 ANEURALNETWORKS_TENSOR_FLOAT32
#define Q8  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED

static const uint32_t four[] = {4};

static void make_add(struct sample_model *model, int32_t type)
{
    const bool quantised = type == Q8;
    const float scale = quantised ? 0.5f : 0;

    sample_model_init(model);
    const uint32_t a = sample_model_tensor(model, type, HY_LIFETIME_INPUT, 1, four, scale, 0);
    const uint32_t b = sample_model_tensor(model, type, HY_LIFETIME_INPUT, 1, four, scale, 0);
    const uint32_t none = sample_model_i32(model, ANEURALNETWORKS_FUSED_NONE);
    const uint32_t out = sample_model_tensor(model, type, HY_LIFETIME_OUTPUT, 1, four, scale, 0);
    sample_model_operation(model, ANEURALNETWORKS_ADD, 3, (const uint32_t[]){a, b, none}, out);
}

TEST(sample_family, each_manifest_gives_its_device)
{
    static const struct {
        const char *manifest, *name;
        uint32_t type_count;
        float exec_time, power_usage;
        uint64_t launch_ns;
        uint32_t extension_count;
    } members[] = {
        {"compiled.json", "halyard-sample-compiled", 2, 0.5f, 0.5f, 0, 0},
        {"descriptors.json", "halyard-sample-descriptors", 2, 0.5f, 0.5f, 0, 0},
        {"extension.json", "halyard-sample-extension", 2, 0.5f, 0.5f, 0, 1},
        {"float_fast.json", "halyard-sample-float-fast", 1, 0.25f, 0.25f, 20000, 0},
        {"float_slow.json", "halyard-sample-float-slow", 1, 2, 0.1f, 0, 0},
        {"just_in_time.json", "halyard-sample-just-in-time", 2, 0.5f, 0.5f, 0, 0},
        {"minimal.json", "halyard-sample-minimal", 1, 0.5f, 0.5f, 0, 0},
        {"quantised.json", "halyard-sample-quantised", 1, 0.25f, 0.2f, 0, 0},
        {"recurrent.json", "halyard-sample-recurrent", 2, 0.5f, 0.5f, 0, 0},
        {"self_caching.json", "halyard-sample-self-caching", 2, 0.5f, 0.5f, 0, 0},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct sample_fixture fixture;
        if (sample_fixture_init_member(&fixture, members[i].manifest)) {
            const struct hy_plugin_device *device = hy_plugins_device(fixture.plugins.plugins, 0);
            const struct hy_capabilities *figures = device->capabilities;
            EXPECT_STR(device->info->name, members[i].name);
            EXPECT_INT(device->info->extension_count, members[i].extension_count);
            EXPECT_INT(figures->operand_count, members[i].type_count);
            EXPECT(figures->operands[0].performance.exec_time == members[i].exec_time);
            EXPECT(figures->operands[0].performance.power_usage == members[i].power_usage);
            EXPECT(figures->launch_ns == members[i].launch_ns);
        }
        sample_fixture_finish(&fixture);
    }
}

TEST(sample_family, a_device_refuses_the_types_it_does_not_serve)
{
    struct sample_fixture fixture;
    struct sample_model model;

    if (sample_fixture_init_member(&fixture, "quantised.json")) {
        make_add(&model, Q8);
        EXPECT_STR(sample_refusal(&fixture, &model), "");
        make_add(&model, F32);
        EXPECT_CONTAINS(sample_refusal(&fixture, &model), "does not support float32 tensors");
    }
    sample_fixture_finish(&fixture);
    if (sample_fixture_init_member(&fixture, "float_fast.json")) {
        make_add(&model, F32);
        EXPECT_STR(sample_refusal(&fixture, &model), "");
        make_add(&model, Q8);
        EXPECT_CONTAINS(sample_refusal(&fixture, &model),
                        "does not support signed quantised tensors");
    }
    sample_fixture_finish(&fixture);
}

/* ---- The extension --------------------------------------------------------------------------- */

#define PREFIX 7

static const struct hy_extension_prefix prefixes[] = {{"com.acme.other", 3, 0},
                                                      {"org.halyard.sample", PREFIX, 0}};

static void make_leaky_relu(struct sample_model *model, uint32_t prefix)
{
    const float slope = 0.25f;

    sample_model_init(model);
    model->model.extensions = prefixes;
    model->model.extension_count = 2;
    const uint32_t in = sample_model_tensor(model, F32, HY_LIFETIME_INPUT, 1, four, 0, 0);
    const uint32_t factor =
        sample_model_constant(model, ANEURALNETWORKS_FLOAT32, 0, NULL, 0, 0, &slope, sizeof slope);
    const uint32_t out = sample_model_tensor(model, F32, HY_LIFETIME_OUTPUT, 1, four, 0, 0);
    sample_model_operation(model, (int32_t)(prefix << 16), 2, (const uint32_t[]){in, factor}, out);
}

TEST(sample_family, leaky_relu_of_the_extension_is_computed)
{
    struct sample_fixture fixture;
    struct sample_model model;

    make_leaky_relu(&model, PREFIX);
    if (sample_fixture_init_member(&fixture, "extension.json")) {
        const float in[] = {-4, -0.5f, 0, 3};
        float got[4] = {9, 9, 9, 9};
        const void *inputs[] = {in};
        void *outputs[] = {got};
        const size_t size = sizeof in;

        EXPECT_STR(sample_refusal(&fixture, &model), "");
        EXPECT_INT(sample_run(&fixture, &model, inputs, &size, outputs, &size), HY_STATUS_OK);
        EXPECT(got[0] == -1 && got[1] == -0.125f && got[2] == 0 && got[3] == 3);
    }
    sample_fixture_finish(&fixture);
}

TEST(sample_family, the_code_of_another_extension_is_refused)
{
    struct sample_fixture fixture;
    struct sample_model model;

    if (sample_fixture_init_member(&fixture, "extension.json")) {
        make_leaky_relu(&model, 3); /* another extension's prefix */
        EXPECT_CONTAINS(sample_refusal(&fixture, &model), "does not support operation type");
        make_leaky_relu(&model, 5); /* no extension's */
        EXPECT_CONTAINS(sample_refusal(&fixture, &model), "does not support operation type");
        make_leaky_relu(&model, PREFIX);
        model.operations[0].type += 1;
        EXPECT_CONTAINS(sample_refusal(&fixture, &model), "does not support operation type");
    }
    sample_fixture_finish(&fixture);
}

TEST(sample_family, a_device_without_the_extension_refuses_its_operation)
{
    struct sample_fixture fixture;
    struct sample_model model;

    make_leaky_relu(&model, PREFIX);
    if (sample_fixture_init(&fixture))
        EXPECT_CONTAINS(sample_refusal(&fixture, &model), "does not support operation type");
    sample_fixture_finish(&fixture);
}

TEST(sample_family, leaky_relu_of_a_run_time_slope_is_refused)
{
    struct sample_fixture fixture;
    struct sample_model model;

    make_leaky_relu(&model, PREFIX);
    model.operands[1].lifetime = HY_LIFETIME_TEMPORARY;
    if (sample_fixture_init_member(&fixture, "extension.json"))
        EXPECT_CONTAINS(sample_refusal(&fixture, &model), "LEAKY_RELU");
    sample_fixture_finish(&fixture);
}
