/*
 * Bodies that many operations refer to, nested as deep as models may: a walk that enters a body
 * once per reference would take 8^16 steps. Whatever looks at the model looks at each body once, so
 * that every call here ends at once. Runs on the devices that the environment gives.
 */
#include "halyard/halyard.h"
#include "tests/kit/test.h"

#include <android/NeuralNetworks.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK ANEURALNETWORKS_NO_ERROR

enum {
    DEEPEST = 16,
    IFS = 4
}; /* HY_CONTROL_FLOW_DEPTH; operations of a level, two references each */

/* Each level refers to the one before; the operands of the last are counted. */
struct nest {
    ANeuralNetworksModel *levels[DEEPEST + 1];
    uint32_t operand_count;
};

static uint32_t add_operand(struct nest *nest, ANeuralNetworksModel *model, int32_t type,
                            uint32_t rank)
{
    const uint32_t one = 1;
    const ANeuralNetworksOperandType spec = {type, rank, rank ? &one : NULL, 0, 0};

    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &spec), OK);
    return nest->operand_count++;
}

/* A condition and a number. */
static ANeuralNetworksModel *open_level(struct nest *nest, uint32_t inputs[2])
{
    ANeuralNetworksModel *model = NULL;

    EXPECT_INT(ANeuralNetworksModel_create(&model), OK);
    nest->operand_count = 0;
    inputs[0] = add_operand(nest, model, ANEURALNETWORKS_TENSOR_BOOL8, 1);
    inputs[1] = add_operand(nest, model, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
    return model;
}

static void close_level(ANeuralNetworksModel *model, const uint32_t inputs[2], uint32_t output)
{
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1, &output), OK);
    EXPECT_INT(ANeuralNetworksModel_finish(model), OK);
}

static ANeuralNetworksModel *make_leaf(struct nest *nest)
{
    uint32_t inputs[2];
    ANeuralNetworksModel *model = open_level(nest, inputs);
    const uint32_t activation = add_operand(nest, model, ANEURALNETWORKS_INT32, 0);
    const uint32_t sum = add_operand(nest, model, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
    const int32_t none = 0;

    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, (int32_t)activation, &none, 4), OK);
    EXPECT_INT(ANeuralNetworksModel_addOperation(
                   model, ANEURALNETWORKS_ADD, 3,
                   (const uint32_t[]){inputs[1], inputs[1], activation}, 1, &sum),
               OK);
    close_level(model, inputs, sum);
    return model;
}

static uint32_t refer(struct nest *nest, ANeuralNetworksModel *model,
                      const ANeuralNetworksModel *body)
{
    const uint32_t operand = add_operand(nest, model, ANEURALNETWORKS_MODEL, 0);

    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromModel(model, (int32_t)operand, body), OK);
    return operand;
}

static ANeuralNetworksModel *make_level(struct nest *nest, const ANeuralNetworksModel *body)
{
    uint32_t inputs[2];
    ANeuralNetworksModel *model = open_level(nest, inputs);
    uint32_t value = inputs[1];

    for (int i = 0; i < IFS; i++) {
        const uint32_t arguments[] = {inputs[0], refer(nest, model, body), refer(nest, model, body),
                                      inputs[0], value};
        value = add_operand(nest, model, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
        EXPECT_INT(
            ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 5, arguments, 1, &value),
            OK);
    }
    close_level(model, inputs, value);
    return model;
}

static ANeuralNetworksModel *make_nest(struct nest *nest)
{
    nest->levels[0] = make_leaf(nest);
    for (int i = 1; i <= DEEPEST; i++)
        nest->levels[i] = make_level(nest, nest->levels[i - 1]);
    return nest->levels[DEEPEST];
}

static void free_nest(struct nest *nest)
{
    for (int i = 0; i <= DEEPEST; i++)
        ANeuralNetworksModel_free(nest->levels[i]);
}

/* ---- What looks at the model ------------------------------------------------------------------
 */

static void expect_report(const ANeuralNetworksCompilation *compilation, int32_t format)
{
    size_t length = 0, again;

    EXPECT_INT(halyard_compilation_write_report(compilation, format, NULL, 0, &length), OK);
    REQUIRE(length > 0 && length < 1 << 26);
    char *text = malloc(length + 1);
    REQUIRE(text);
    EXPECT_INT(halyard_compilation_write_report(compilation, format, text, length + 1, &again), OK);
    free(text);
}

/* A device may refuse control flow, or take bodies alone. */
static void expect_compilation(ANeuralNetworksModel *model,
                               const ANeuralNetworksDevice *const *devices, uint32_t count,
                               const char *cache)
{
    const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {1};
    ANeuralNetworksCompilation *compilation = NULL;

    REQUIRE((devices
                 ? ANeuralNetworksCompilation_createForDevices(model, devices, count, &compilation)
                 : ANeuralNetworksCompilation_create(model, &compilation)) == OK);
    if (cache)
        EXPECT_INT(ANeuralNetworksCompilation_setCaching(compilation, cache, token), OK);
    const int result = ANeuralNetworksCompilation_finish(compilation);
    EXPECT(result == OK || (devices && result == ANEURALNETWORKS_BAD_DATA));
    if (result == OK) {
        expect_report(compilation, HALYARD_REPORT_JSON);
        expect_report(compilation, HALYARD_REPORT_DOT);
    }
    ANeuralNetworksCompilation_free(compilation);
}

static void expect_device(ANeuralNetworksModel *model, const ANeuralNetworksDevice *device,
                          const char *cache)
{
    bool supported[IFS];

    REQUIRE(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, supported) ==
            OK);
    expect_compilation(model, &device, 1, NULL);
    expect_compilation(model, &device, 1, cache);
}

TEST(shared_bodies, are_looked_at_once_by_every_device_and_call)
{
    char cache[] = "/tmp/halyard-shared-bodies-XXXXXX", command[128];
    struct nest nest;
    uint32_t count;
    ANeuralNetworksModel *model = make_nest(&nest);

    REQUIRE(mkdtemp(cache));
    REQUIRE(ANeuralNetworks_getDeviceCount(&count) == OK);
    EXPECT(count >= 3);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device;
        REQUIRE(ANeuralNetworks_getDevice(i, &device) == OK);
        expect_device(model, device, cache);
    }
    expect_compilation(model, NULL, 0, NULL);
    expect_compilation(model, NULL, 0, cache);
    free_nest(&nest);
    snprintf(command, sizeof command, "rm -r %s", cache);
    EXPECT_INT(system(command), 0);
}

/* ---- Many bodies -------------------------------------------------------------------------------
 */

/* Each is shown to each device with all that come before it: the square of their number. */
TEST(shared_bodies, many_that_refer_to_one_another_are_planned_in_bounds)
{
    enum { MANY = 3000 };
    struct nest nest = {0};
    ANeuralNetworksModel *leaf = make_leaf(&nest), *bodies[MANY];
    uint32_t inputs[2];

    for (int i = 0; i < MANY; i++)
        bodies[i] = make_level(&nest, leaf);
    ANeuralNetworksModel *model = open_level(&nest, inputs);
    uint32_t value = inputs[1];
    for (int i = 0; i < MANY; i++) {
        const uint32_t arguments[] = {inputs[0], refer(&nest, model, bodies[i]),
                                      refer(&nest, model, bodies[i]), inputs[0], value};
        value = add_operand(&nest, model, ANEURALNETWORKS_TENSOR_FLOAT32, 1);
        EXPECT_INT(
            ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 5, arguments, 1, &value),
            OK);
    }
    close_level(model, inputs, value);
    expect_compilation(model, NULL, 0, NULL);
    ANeuralNetworksModel_free(model);
    for (int i = 0; i < MANY; i++)
        ANeuralNetworksModel_free(bodies[i]);
    ANeuralNetworksModel_free(leaf);
}

/* ---- Deadlines ---------------------------------------------------------------------------------
 */

enum { EXTENT = 512, PRODUCTS = 60, TIMEOUT_NS = 20000000 };

static uint32_t add_matrix(struct nest *nest, ANeuralNetworksModel *model)
{
    const uint32_t dims[] = {EXTENT, EXTENT};
    const ANeuralNetworksOperandType spec = {ANEURALNETWORKS_TENSOR_FLOAT32, 2, dims, 0, 0};

    EXPECT_INT(ANeuralNetworksModel_addOperand(model, &spec), OK);
    return nest->operand_count++;
}

/* y = x + c * c * ... * c of constants: computed while the model is compiled. */
static ANeuralNetworksModel *make_products(const float *values)
{
    struct nest nest = {0};
    ANeuralNetworksModel *model = NULL;
    const int32_t none = 0;
    const uint8_t no = 0;

    EXPECT_INT(ANeuralNetworksModel_create(&model), OK);
    const uint32_t x = add_matrix(&nest, model), constant = add_matrix(&nest, model);
    const uint32_t turned = add_operand(&nest, model, ANEURALNETWORKS_BOOL, 0);
    const uint32_t activation = add_operand(&nest, model, ANEURALNETWORKS_INT32, 0);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, (int32_t)constant, values,
                                                    sizeof(float) * EXTENT * EXTENT),
               OK);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, (int32_t)turned, &no, 1), OK);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, (int32_t)activation, &none, 4), OK);
    uint32_t product = constant;
    for (int i = 0; i < PRODUCTS; i++) {
        const uint32_t arguments[] = {product, constant, turned, turned};
        product = add_matrix(&nest, model);
        EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_BATCH_MATMUL, 4,
                                                     arguments, 1, &product),
                   OK);
    }
    const uint32_t y = add_matrix(&nest, model);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
                                                 (const uint32_t[]){x, product, activation}, 1, &y),
               OK);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &x, 1, &y), OK);
    EXPECT_INT(ANeuralNetworksModel_finish(model), OK);
    return model;
}

static const ANeuralNetworksDevice *find_device(const char *wanted)
{
    uint32_t count = 0;

    EXPECT_INT(ANeuralNetworks_getDeviceCount(&count), OK);
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device;
        const char *name;
        if (ANeuralNetworks_getDevice(i, &device) == OK &&
            ANeuralNetworksDevice_getName(device, &name) == OK && strcmp(name, wanted) == 0)
            return device;
    }
    return NULL;
}

TEST(shared_bodies, deadline_holds_while_constants_are_computed)
{
    float *values = calloc((size_t)EXTENT * EXTENT, sizeof *values);
    const ANeuralNetworksDevice *cpu = find_device("halyard-cpu");
    ANeuralNetworksCompilation *compilation = NULL;

    REQUIRE(values && cpu);
    ANeuralNetworksModel *model = make_products(values);
    REQUIRE(ANeuralNetworksCompilation_createForDevices(model, &cpu, 1, &compilation) == OK);
    EXPECT_INT(ANeuralNetworksCompilation_setTimeout(compilation, TIMEOUT_NS), OK);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation),
               ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    free(values);
}
