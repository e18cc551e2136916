/*
 * An app beside a driver that attacks all memory it is given (attack.c), in its process, for as
 * long as that lives. What comes of the attacker's own operations may be anything; what other
 * devices compute is right, and the app lives.
 */
#include "tests/kit/test.h"
#include "tests/unit/plugins/service/client/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    COUNT = 1 << 18,
    BYTES = COUNT * (int)sizeof(float),
    OUTPUTS = 5,
    RUNS = 30,
    SUM = 0,        /* x + w, of the attacker */
    PRODUCT = 1,    /* x * w, of the honest driver */
    FLOOR = 2,      /* of x, of halyard-cpu; what follows reads the product's, between the steps */
    SECOND_SUM = 3, /* of the attacker */
    SECOND_PRODUCT = 4, /* of the honest driver */
};

/* The calls answer as those of a kernel that has no Landlock; in all processes of this test. */
__attribute__((constructor)) static void disable_landlock(void)
{
    scmp_filter_ctx filter =
        getenv("ATTACKED_WITHOUT_LANDLOCK") ? seccomp_init(SCMP_ACT_ALLOW) : NULL;

    if (filter &&
        (seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS),
                          seccomp_syscall_resolve_name("landlock_create_ruleset"), 0) != 0 ||
         seccomp_load(filter) != 0))
        abort();
    seccomp_release(filter);
}

static float x_at(int i)
{
    return (float)(i % 13) - 5.5f;
}

static float w_at(int i)
{
    return (float)(i % 7 + 1);
}

static float floor_of(float value)
{
    const float whole = (float)(int)value;
    return whole > value ? whole - 1 : whole;
}

static float want_at(int output, int i)
{
    const float product = x_at(i) * w_at(i);

    if (output == PRODUCT)
        return product;
    return output == FLOOR ? floor_of(x_at(i)) : floor_of(product) * w_at(i);
}

/* ---- The app's memory ------------------------------------------------------------------------ */

struct memory {
    ANeuralNetworksMemory *memory;
    float *values; /* as the app sees them */
    int fd;
};

static bool make_memory(struct memory *memory, int pieces, int protection)
{
    const size_t bytes = (size_t)pieces * BYTES;

    *memory = (struct memory){.fd = memfd_create("app", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (memory->fd < 0 || ftruncate(memory->fd, (off_t)bytes) != 0)
        return false;
    void *values = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->fd, 0);
    memory->values = values;
    return values != MAP_FAILED &&
           ANeuralNetworksMemory_createFromFd(bytes, protection, memory->fd, 0, &memory->memory) ==
               ANEURALNETWORKS_NO_ERROR;
}

static void free_memory(struct memory *memory, int pieces)
{
    ANeuralNetworksMemory_free(memory->memory);
    if (memory->values)
        munmap(memory->values, (size_t)pieces * BYTES);
    close(memory->fd);
}

/* ---- The model ------------------------------------------------------------------------------- */

static bool add_operation(ANeuralNetworksModel *model, int32_t code, uint32_t a, uint32_t b,
                          uint32_t out)
{
    const uint32_t inputs[] = {a, b, 2};

    return ANeuralNetworksModel_addOperation(model, code, b ? 3 : 1, inputs, 1, &out) == 0;
}

/* Operands: x, w, no activation, the sum, the product, the floors, the late sum and product. */
static ANeuralNetworksModel *make_model(const struct memory *weights)
{
    const uint32_t count = COUNT, input = 0, outputs[] = {3, 4, 5, 7, 8};
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &count};
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    ANeuralNetworksModel *model = NULL;

    bool good = ANeuralNetworksModel_create(&model) == 0;
    for (int i = 0; i < 9; i++)
        good = good && ANeuralNetworksModel_addOperand(model, i == 2 ? &scalar : &tensor) == 0;
    good =
        good && ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none) == 0 &&
        ANeuralNetworksModel_setOperandValueFromMemory(model, 1, weights->memory, 0, BYTES) == 0 &&
        add_operation(model, ANEURALNETWORKS_ADD, 0, 1, 3) &&
        add_operation(model, ANEURALNETWORKS_MUL, 0, 1, 4) &&
        add_operation(model, ANEURALNETWORKS_FLOOR, 0, 0, 5) &&
        add_operation(model, ANEURALNETWORKS_FLOOR, 4, 0, 6) &&
        add_operation(model, ANEURALNETWORKS_ADD, 6, 1, 7) &&
        add_operation(model, ANEURALNETWORKS_MUL, 6, 1, 8) &&
        ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, OUTPUTS, outputs) == 0 &&
        ANeuralNetworksModel_finish(model) == 0;
    if (good)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

static bool is_on(const ANeuralNetworksCompilation *compilation, uint32_t operation,
                  const char *name)
{
    struct halyard_plan_operation info = {.struct_size = sizeof info};
    const char *its = "";

    return halyard_compilation_get_operation(compilation, operation, &info) == 0 &&
           ANeuralNetworksDevice_getName(info.device, &its) == 0 && strcmp(its, name) == 0;
}

/* ---- An app ---------------------------------------------------------------------------------- */

/* Where x and the outputs lie. */
enum way {
    BY_ADDRESS,
    IN_ONE_MEMORY,
    IN_MEMORY_TO_READ, /* x; the outputs at addresses */
};

struct app {
    struct memory weights, arguments;
    ANeuralNetworksModel *model;
    ANeuralNetworksCompilation *compilation;
    ANeuralNetworksBurst *burst;
    enum way way;
    float *x, *outputs;
};

static bool open_app(struct app *app, const char *attacker, enum way way)
{
    const char *const devices[] = {attacker, "honest", "halyard-cpu"};
    static float x[COUNT], outputs[OUTPUTS * COUNT];

    *app = (struct app){.way = way, .x = x, .outputs = outputs};
    if (!make_memory(&app->weights, 1, PROT_READ) ||
        !make_memory(&app->arguments, 1 + OUTPUTS,
                     way == IN_MEMORY_TO_READ ? PROT_READ : PROT_READ | PROT_WRITE))
        return false;
    if (way != BY_ADDRESS)
        app->x = app->arguments.values;
    if (way == IN_ONE_MEMORY)
        app->outputs = app->arguments.values + COUNT;
    for (int i = 0; i < COUNT; i++) {
        app->weights.values[i] = w_at(i);
        app->x[i] = x_at(i);
    }
    app->model = make_model(&app->weights);
    app->compilation = app->model ? isolated_compile(app->model, devices, 3) : NULL;
    return app->compilation && ANeuralNetworksBurst_create(app->compilation, &app->burst) == 0 &&
           is_on(app->compilation, 0, attacker) && is_on(app->compilation, 1, "honest") &&
           is_on(app->compilation, 3, "halyard-cpu") && is_on(app->compilation, 4, attacker) &&
           is_on(app->compilation, 5, "honest");
}

static void close_app(struct app *app)
{
    ANeuralNetworksBurst_free(app->burst);
    ANeuralNetworksCompilation_free(app->compilation);
    ANeuralNetworksModel_free(app->model);
    free_memory(&app->weights, 1);
    free_memory(&app->arguments, 1 + OUTPUTS);
}

static ANeuralNetworksExecution *make_execution(const struct app *app, bool reusable)
{
    ANeuralNetworksExecution *execution = NULL;
    ANeuralNetworksMemory *memory = app->arguments.memory;

    bool good = ANeuralNetworksExecution_create(app->compilation, &execution) == 0 &&
                ANeuralNetworksExecution_setReusable(execution, reusable) == 0;
    if (good && app->way == BY_ADDRESS)
        good = ANeuralNetworksExecution_setInput(execution, 0, NULL, app->x, BYTES) == 0;
    else if (good)
        good =
            ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0, BYTES) == 0;
    for (int i = 0; good && i < OUTPUTS; i++) {
        float *output = app->outputs + i * COUNT;
        memset(output, 0, BYTES);
        good = (app->way == IN_ONE_MEMORY
                    ? ANeuralNetworksExecution_setOutputFromMemory(execution, i, NULL, memory,
                                                                   (size_t)(i + 1) * BYTES, BYTES)
                    : ANeuralNetworksExecution_setOutput(execution, i, NULL, output, BYTES)) == 0;
    }
    EXPECT(good);
    return execution;
}

static void expect_right(const struct app *app, int output)
{
    for (int i = 0; i < COUNT; i++) {
        const float got = app->outputs[output * COUNT + i];
        if (got == want_at(output, i))
            continue;
        hy_test_fail(__FILE__, __LINE__, "output %d differs at %d: %g, needs %g", output, i,
                     (double)got, (double)want_at(output, i));
        return;
    }
    hy_test_pass(__FILE__, __LINE__);
}

/* What is not the attacker's. */
static void expect_all_right(const struct app *app)
{
    int wrong = 0;

    expect_right(app, PRODUCT);
    expect_right(app, FLOOR);
    expect_right(app, SECOND_PRODUCT);
    for (int i = 0; i < COUNT; i++)
        wrong += app->x[i] != x_at(i) || app->weights.values[i] != w_at(i);
    EXPECT_INT(wrong, 0);
}

static void expect_survival(const char *attacker, enum way way)
{
    struct app app;
    REQUIRE(open_app(&app, attacker, way));
    pid_t process = 0;

    for (int i = 0; i < RUNS; i++) {
        ANeuralNetworksExecution *execution = make_execution(&app, false);
        ANeuralNetworksEvent *event = NULL;
        if (i % 3 == 0)
            EXPECT_INT(ANeuralNetworksExecution_compute(execution), 0);
        else if (i % 3 == 1)
            EXPECT_INT(ANeuralNetworksExecution_burstCompute(execution, app.burst), 0);
        else
            EXPECT_INT(ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0,
                                                                             &event) ||
                           ANeuralNetworksEvent_wait(event),
                       0);
        expect_all_right(&app);
        ANeuralNetworksEvent_free(event);
        ANeuralNetworksExecution_free(execution);
        /* A process that has ended while nothing ran is replaced by the first run. */
        if (i == 0)
            process = isolated_pid(attacker);
    }
    EXPECT(process > 0);
    ANeuralNetworksExecution *again = make_execution(&app, true);
    for (int i = 0; i < RUNS; i++) {
        EXPECT_INT(ANeuralNetworksExecution_compute(again), 0);
        expect_all_right(&app);
    }
    ANeuralNetworksExecution_free(again);
    EXPECT_INT(isolated_pid(attacker), process);
    close_app(&app);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

TEST(attacked_memory, attacker_is_confined_as_the_test_wants_it)
{
    const bool lacks = getenv("ATTACKED_WITHOUT_LANDLOCK") != NULL;

    EXPECT(isolated_pid("attacker") > 0 && isolated_pid("honest") > 0);
    EXPECT_INT(isolated_pid("halyard-cpu"), 0);
    if (lacks)
        EXPECT(!strstr(isolated_info("attacker").sandbox, "landlock"));
}

/* One that only writes: nobody notices but by the numbers. */
TEST(attacked_memory, arguments_by_address_and_constants_of_others_are_not_rewritten)
{
    expect_survival("writer", BY_ADDRESS);
}

TEST(attacked_memory, memory_that_several_devices_use_is_not_rewritten)
{
    expect_survival("writer", IN_ONE_MEMORY);
}

TEST(attacked_memory, memory_that_is_to_be_read_is_not_rewritten)
{
    expect_survival("writer", IN_MEMORY_TO_READ);
}

TEST(attacked_memory, arguments_by_address_and_constants_of_others_are_not_cut)
{
    expect_survival("attacker", BY_ADDRESS);
}

TEST(attacked_memory, memory_that_several_devices_use_is_not_cut)
{
    expect_survival("attacker", IN_ONE_MEMORY);
}

TEST(attacked_memory, memory_that_is_to_be_read_is_not_cut)
{
    expect_survival("attacker", IN_MEMORY_TO_READ);
}

/* z = x + w alone, on a device that attacks, says that it failed, and is stood in for. */
static void expect_fallback(bool by_address)
{
    static const char *const devices[] = {"failing", "halyard-cpu"};
    static float x[COUNT], z[COUNT];
    const uint32_t count = COUNT, inputs[] = {0, 1, 2}, output = 3, input = 0;
    const ANeuralNetworksOperandType tensor = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &count};
    const ANeuralNetworksOperandType scalar = {.type = ANEURALNETWORKS_INT32};
    const int32_t none = ANEURALNETWORKS_FUSED_NONE;
    struct memory weights, arguments;
    ANeuralNetworksModel *model = NULL;
    ANeuralNetworksExecution *execution = NULL;

    REQUIRE(make_memory(&weights, 1, PROT_READ) &&
            make_memory(&arguments, 2, PROT_READ | PROT_WRITE));
    for (int i = 0; i < COUNT; i++) {
        weights.values[i] = w_at(i);
        x[i] = arguments.values[i] = x_at(i);
    }
    REQUIRE(ANeuralNetworksModel_create(&model) == 0);
    for (int i = 0; i < 4; i++)
        EXPECT_INT(ANeuralNetworksModel_addOperand(model, i == 2 ? &scalar : &tensor), 0);
    EXPECT_INT(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof none), 0);
    EXPECT_INT(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, weights.memory, 0, BYTES),
               0);
    EXPECT_INT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, &output),
               0);
    EXPECT_INT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1, &output), 0);
    EXPECT_INT(ANeuralNetworksModel_finish(model), 0);
    ANeuralNetworksCompilation *compilation = isolated_compile(model, devices, 2);
    REQUIRE(compilation && is_on(compilation, 0, "failing"));

    EXPECT_INT(ANeuralNetworksExecution_create(compilation, &execution), 0);
    if (by_address) {
        EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, NULL, x, BYTES), 0);
        EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, z, BYTES), 0);
    } else {
        EXPECT_INT(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, arguments.memory,
                                                               0, BYTES),
                   0);
        EXPECT_INT(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL,
                                                                arguments.memory, BYTES, BYTES),
                   0);
    }
    const int code = ANeuralNetworksExecution_compute(execution);
    EXPECT(by_address ? code == 0 : code == ANEURALNETWORKS_OP_FAILED);
    for (int i = 0; by_address && i < COUNT; i++) {
        if (x[i] != x_at(i))
            hy_test_fail(__FILE__, __LINE__, "x differs at %d", i);
    }
    ANeuralNetworksExecution_free(execution);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    free_memory(&weights, 1);
    free_memory(&arguments, 2);
}

TEST(attacked_memory, stand_in_of_a_device_that_has_cut_the_apps_memory_fails_and_the_app_lives)
{
    expect_fallback(false);
}

TEST(attacked_memory, stand_in_of_a_device_finds_arguments_by_address)
{
    expect_fallback(true);
}
