/* Models and compilations in every state of their lives. */
#include "probe_states.h"

/* ---- Models ---------------------------------------------------------------------------------- */

static const uint32_t one = 1;
static const ANeuralNetworksOperandType number = {
    .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &one};
static const ANeuralNetworksOperandType truth = {
    .type = ANEURALNETWORKS_TENSOR_BOOL8, .dimensionCount = 1, .dimensions = &one};
static const ANeuralNetworksOperandType reference = {.type = ANEURALNETWORKS_MODEL};

static void *make_empty(struct probe_world *world)
{
    (void)world;
    return model_of(0, NULL);
}

/* With an operand for every call that sets something of one. */
static void *make_open(struct probe_world *world)
{
    static const uint32_t extent = EXTENT;
    const ANeuralNetworksOperandType filter = {.type =
                                                   ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
                                               .dimensionCount = 1,
                                               .dimensions = &extent};
    ANeuralNetworksModel *model = model_of(0, NULL);
    ANeuralNetworksOperandType key = {0};

    EXPECT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.acme.fft", 2, &key.type));
    const ANeuralNetworksOperandType operands[] = {
        filter, key, reference, float_tensor, float_tensor, int32_scalar, truth};

    (void)world;
    for (size_t i = 0; i < COUNT_OF(operands); i++)
        EXPECT_OK(ANeuralNetworksModel_addOperand(model, &operands[i]));
    return model;
}

/* Operands for IF and WHILE, that wait for their models. */
static void *make_calling(struct probe_world *world)
{
    const ANeuralNetworksOperandType operands[] = {reference, reference, truth, number, number};

    (void)world;
    return model_of(COUNT_OF(operands), operands);
}

static void *make_building(struct probe_world *world)
{
    (void)world;
    return relu_model(MODEL_BUILDING);
}

static void *make_invalid(struct probe_world *world)
{
    (void)world;
    return relu_model(MODEL_INVALID);
}

static void *make_relu(struct probe_world *world)
{
    (void)world;
    return relu_model(MODEL_FINISHED);
}

static void *make_open_relu(struct probe_world *world)
{
    (void)world;
    return relu_of(&open_tensor);
}

/* Finishes a model of one operation, whose operands are its inputs, constants, and the output. */
static void *finished(ANeuralNetworksModel *model, int32_t type, uint32_t inputs,
                      uint32_t arguments)
{
    static const uint32_t indices[] = {0, 1, 2, 3};

    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, type, arguments, indices, 1, &indices[arguments]));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, inputs, indices, 1,
                                                            &indices[arguments]));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

static void *make_add(struct probe_world *world)
{
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const ANeuralNetworksOperandType operands[] = {float_tensor, float_tensor, int32_scalar,
                                                   float_tensor};
    ANeuralNetworksModel *model = model_of(COUNT_OF(operands), operands);

    (void)world;
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none));
    return finished(model, ANEURALNETWORKS_ADD, 2, 3);
}

/* x < 3 */
static void *make_condition(struct probe_world *world)
{
    static const float limit = 3;
    const ANeuralNetworksOperandType operands[] = {number, number, truth};
    ANeuralNetworksModel *model = model_of(COUNT_OF(operands), operands);

    (void)world;
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 1, &limit, sizeof limit));
    return finished(model, ANEURALNETWORKS_LESS, 1, 2);
}

/* x + 1 */
static void *make_body(struct probe_world *world)
{
    static const float step = 1;
    static const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    const ANeuralNetworksOperandType operands[] = {number, number, int32_scalar, number};
    ANeuralNetworksModel *model = model_of(COUNT_OF(operands), operands);

    (void)world;
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 1, &step, sizeof step));
    EXPECT_OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none));
    return finished(model, ANEURALNETWORKS_ADD, 1, 3);
}

/* IF(truth, RELU, RELU, tensor) and WHILE(condition, body, number). */
static void *make_control_flow(struct probe_world *world)
{
    static const uint32_t branch[] = {0, 1, 2, 3}, loop[] = {5, 6, 7};
    static const uint32_t inputs[] = {0, 3, 7}, outputs[] = {4, 8};
    static const struct {
        int32_t operand;
        uint32_t state;
    } references[] = {{1, PROBE_RELU}, {2, PROBE_RELU}, {5, PROBE_CONDITION}, {6, PROBE_BODY}};
    const ANeuralNetworksOperandType operands[] = {truth,        reference,    reference,
                                                   float_tensor, float_tensor, reference,
                                                   reference,    number,       number};
    ANeuralNetworksModel *model = model_of(COUNT_OF(operands), operands);

    for (size_t i = 0; i < COUNT_OF(references); i++)
        EXPECT_OK(ANeuralNetworksModel_setOperandValueFromModel(
            model, references[i].operand,
            probe_shared_handle(world, PROBE_model, references[i].state)));
    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, branch, 1, &outputs[0]));
    EXPECT_OK(
        ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_WHILE, 3, loop, 1, &outputs[1]));
    EXPECT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, inputs, 2, outputs));
    EXPECT_OK(ANeuralNetworksModel_finish(model));
    return model;
}

const struct probe_state probe_model_states[] = {
    [PROBE_EMPTY_MODEL] = {"empty", make_empty},
    [PROBE_OPEN_MODEL] = {"operands of many kinds", make_open},
    [PROBE_CALLING_MODEL] = {"operands that are models", make_calling},
    [PROBE_BUILDING_MODEL] = {"RELU, building", make_building},
    [PROBE_INVALID_MODEL] = {"RELU, invalid", make_invalid},
    [PROBE_RELU] = {"RELU", make_relu},
    [PROBE_OPEN_RELU] = {"RELU of open shape", make_open_relu},
    [PROBE_ADD] = {"ADD", make_add},
    [PROBE_CONDITION] = {"x < 3", make_condition},
    [PROBE_BODY] = {"x + 1", make_body},
    [PROBE_CONTROL_FLOW] = {"IF and WHILE", make_control_flow},
};

/* ---- Compilations ---------------------------------------------------------------------------- */

static ANeuralNetworksCompilation *for_all(struct probe_world *world, uint32_t model)
{
    ANeuralNetworksCompilation *compilation = NULL;
    EXPECT_OK(ANeuralNetworksCompilation_create(probe_shared_handle(world, PROBE_model, model),
                                                &compilation));
    return compilation;
}

static ANeuralNetworksCompilation *for_one(struct probe_world *world, uint32_t model,
                                           const char *device)
{
    const ANeuralNetworksDevice *devices[] = {device_named(device)};
    ANeuralNetworksCompilation *compilation = NULL;

    EXPECT_OK(ANeuralNetworksCompilation_createForDevices(
        probe_shared_handle(world, PROBE_model, model), devices, 1, &compilation));
    return compilation;
}

static void *compiled(ANeuralNetworksCompilation *compilation)
{
    EXPECT_OK(ANeuralNetworksCompilation_finish(compilation));
    return compilation;
}

static void *make_building_for_all(struct probe_world *world)
{
    return for_all(world, PROBE_ADD);
}

static void *make_building_for_one(struct probe_world *world)
{
    return for_one(world, PROBE_ADD, "halyard-cpu");
}

static void *make_failed(struct probe_world *world)
{
    ANeuralNetworksCompilation *compilation = for_one(world, PROBE_RELU, "acme-full");
    EXPECT_FAIL(RESOURCE_EXHAUSTED_TRANSIENT, ANeuralNetworksCompilation_finish(compilation));
    return compilation;
}

static void *make_compiled_for_all(struct probe_world *world)
{
    return compiled(for_all(world, PROBE_ADD));
}

static void *make_compiled_for_one(struct probe_world *world)
{
    return compiled(for_one(world, PROBE_ADD, "halyard-cpu"));
}

static void *make_compiled_for_npu(struct probe_world *world)
{
    return compiled(for_one(world, PROBE_RELU, "acme-npu"));
}

static void *make_compiled_open_relu(struct probe_world *world)
{
    return compiled(for_all(world, PROBE_OPEN_RELU));
}

static void *make_compiled_control_flow(struct probe_world *world)
{
    return compiled(for_all(world, PROBE_CONTROL_FLOW));
}

const struct probe_state probe_compilation_states[] = {
    [PROBE_BUILDING_FOR_ALL] = {"ADD for all devices, building", make_building_for_all},
    [PROBE_BUILDING_FOR_ONE] = {"ADD for halyard-cpu, building", make_building_for_one},
    [PROBE_FAILED_COMPILATION] = {"RELU for acme-full, failed", make_failed},
    [PROBE_COMPILED_FOR_ALL] = {"ADD for all devices", make_compiled_for_all},
    [PROBE_COMPILED_FOR_ONE] = {"ADD for halyard-cpu", make_compiled_for_one},
    [PROBE_COMPILED_FOR_NPU] = {"RELU for acme-npu", make_compiled_for_npu},
    [PROBE_COMPILED_OPEN_RELU] = {"RELU of open shape", make_compiled_open_relu},
    [PROBE_COMPILED_CONTROL_FLOW] = {"IF and WHILE", make_compiled_control_flow},
};
