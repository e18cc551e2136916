/* What diagnostics tell of compilations and executions on fake devices, and when. */
#include "cache_store/architecture.h"
#include "common/clock.h"
#include "runtime/compile/compile.h"
#include "runtime/handle/handle.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"
#include "tests/unit/runtime/kit/plan_fixture.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR
#define UNKNOWN  UINT64_MAX

static const NnApiSLDriverImplFL5 *sl(void)
{
    return (const NnApiSLDriverImplFL5 *)ANeuralNetworks_getSLDriverImpl();
}

/* ---- Listening ------------------------------------------------------------------------------- */

/* All that an info tells; what one kind has not is 0. */
struct reported {
    int32_t session;
    int64_t version;
    uint8_t architecture[HY_ARCHITECTURE_SIZE];
    char device_ids[256];
    int64_t code;
    int mode;
    int input_class, output_class;
    uint64_t total, in_driver, on_device;
    bool caching, control_flow, dynamic;
    pthread_t thread;
};

struct listener {
    atomic_uint compilations, executions;
    struct reported last;
};

#define ASK(name) sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_##name(info)

static void on_compilation(const void *context,
                           const ANeuralNetworksDiagnosticCompilationInfo *info)
{
    struct listener *listener = (struct listener *)(uintptr_t)context;
    struct reported *reported = &listener->last;

    *reported = (struct reported){
        .session = ASK(getSessionId),
        .version = ASK(getNnApiVersion),
        .code = ASK(getErrorCode),
        .input_class = ASK(getInputDataClass),
        .output_class = ASK(getOutputDataClass),
        .total = ASK(getCompilationTimeNanos),
        .caching = ASK(isCachingEnabled),
        .control_flow = ASK(isControlFlowUsed),
        .dynamic = ASK(areDynamicTensorsUsed),
        .thread = pthread_self(),
    };
    memcpy(reported->architecture, ASK(getModelArchHash), sizeof reported->architecture);
    snprintf(reported->device_ids, sizeof reported->device_ids, "%s", ASK(getDeviceIds));
    listener->compilations++;
}
#undef ASK

#define ASK(name) sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_##name(info)

static void on_execution(const void *context, const ANeuralNetworksDiagnosticExecutionInfo *info)
{
    struct listener *listener = (struct listener *)(uintptr_t)context;
    struct reported *reported = &listener->last;

    *reported = (struct reported){
        .session = ASK(getSessionId),
        .version = ASK(getNnApiVersion),
        .code = ASK(getErrorCode),
        .mode = ASK(getExecutionMode),
        .input_class = ASK(getInputDataClass),
        .output_class = ASK(getOutputDataClass),
        .total = ASK(getRuntimeExecutionTimeNanos),
        .in_driver = ASK(getDriverExecutionTimeNanos),
        .on_device = ASK(getHardwareExecutionTimeNanos),
        .caching = ASK(isCachingEnabled),
        .control_flow = ASK(isControlFlowUsed),
        .dynamic = ASK(areDynamicTensorsUsed),
        .thread = pthread_self(),
    };
    memcpy(reported->architecture, ASK(getModelArchHash), sizeof reported->architecture);
    snprintf(reported->device_ids, sizeof reported->device_ids, "%s", ASK(getDeviceIds));
    listener->executions++;
}
#undef ASK

static void listen_to_all(struct listener *listener)
{
    sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(on_compilation, on_execution, listener);
}

static void listen_to_nothing(void)
{
    sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, NULL, NULL);
}

/* ---- Work to listen to ----------------------------------------------------------------------- */

static struct fake_device npu, cpu;
static struct fake_device *const both[] = {&npu, &cpu};
static struct fake_device *const reversed[] = {&cpu, &npu};
static const float input[EXTENT] = {-1, 0.4f, 1.5f, 7};
static float output[EXTENT];

static void init_devices(void)
{
    fake_device_init(&npu, "acme-npu", HALYARD_DEVICE_IN_PROCESS, .5f, FAKE_RELU);
    fake_device_init(&cpu, "halyard-cpu", HALYARD_DEVICE_BUILT_IN, 1, FAKE_ALL);
    npu.device.info.version = "7.1-b3";
}

/* RELU on the npu, the rest on the CPU. */
static struct hy_compilation *compile_chain(void)
{
    init_devices();
    return compile(chain_model(), both, 2, false, NULL);
}

/* On one device that the app named, so that it may measure. */
static struct hy_compilation *compile_on_one(void)
{
    init_devices();
    return compile(chain_model(), (struct fake_device *const[]){&cpu}, 1, true, NULL);
}

static ANeuralNetworksExecution *ready(struct hy_compilation *compilation)
{
    return hy_execution_handle(execution_of(compilation, input, (float *[]){output}));
}

/* The result of a run in that mode. */
static int run(ANeuralNetworksExecution *execution, int mode)
{
    ANeuralNetworksEvent *event = NULL;
    ANeuralNetworksBurst *burst = NULL;
    int code;

    switch (mode) {
    case ANNDIAG_EXECUTION_MODE_SYNC:
        return ANeuralNetworksExecution_compute(execution);
    case ANNDIAG_EXECUTION_MODE_BURST:
        code = ANeuralNetworksBurst_create(
            hy_compilation_handle(hy_execution_of(execution)->compilation), &burst);
        if (code == NO_ERROR)
            code = ANeuralNetworksExecution_burstCompute(execution, burst);
        ANeuralNetworksBurst_free(burst);
        return code;
    case ANNDIAG_EXECUTION_MODE_ASYNC:
        code = ANeuralNetworksExecution_startCompute(execution, &event);
        break;
    default:
        code = ANeuralNetworksExecution_startComputeWithDependencies(execution, NULL, 0, 0, &event);
    }
    if (code == NO_ERROR)
        code = ANeuralNetworksEvent_wait(event);
    ANeuralNetworksEvent_free(event);
    return code;
}

enum {
    FIRST_MODE = ANNDIAG_EXECUTION_MODE_ASYNC,
    LAST_MODE = ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS
};

/* ---- Compilations ---------------------------------------------------------------------------- */

TEST(diagnostics, a_compilation_tells_everything_about_itself)
{
    struct listener listener = {0};
    struct reported *reported = &listener.last;
    uint8_t architecture[HY_ARCHITECTURE_SIZE];
    const uint8_t token[HY_TOKEN_SIZE] = {0};
    init_devices();
    struct hy_compilation *compilation = compile_start(chain_model(), reversed, 2, false);
    REQUIRE(compilation != NULL);
    EXPECT_INT(ANeuralNetworksCompilation_setCaching(hy_compilation_handle(compilation), "", token),
               NO_ERROR);

    listen_to_all(&listener);
    EXPECT_INT(ANeuralNetworksCompilation_finish(hy_compilation_handle(compilation)), NO_ERROR);
    listen_to_nothing();
    EXPECT_INT(listener.compilations, 1);
    EXPECT_INT(listener.executions, 0);
    EXPECT_INT(reported->version, ANEURALNETWORKS_FEATURE_LEVEL_8);
    EXPECT_INT(hy_architecture_hash(hy_app_model_view(compilation->model), architecture, NULL),
               HY_OK);
    EXPECT(memcmp(reported->architecture, architecture, sizeof architecture) == 0);
    EXPECT_STR(reported->device_ids, "acme-npu=7.1-b3,halyard-cpu=1");
    EXPECT_INT(reported->code, NO_ERROR);
    EXPECT_INT(reported->input_class, ANNDIAG_DATA_CLASS_FLOAT32);
    EXPECT_INT(reported->output_class, ANNDIAG_DATA_CLASS_FLOAT32);
    EXPECT(reported->total >= compilation->plan->compile_ns);
    EXPECT(reported->caching && !reported->control_flow && !reported->dynamic);
    EXPECT(pthread_equal(reported->thread, pthread_self()));
    hy_compilation_release(compilation);
}

TEST(diagnostics, a_compilation_that_fails_is_told_once)
{
    struct listener listener = {0};
    init_devices();
    cpu.prepare_status = HY_STATUS_RESOURCE_EXHAUSTED_PERSISTENT;
    struct hy_compilation *compilation =
        compile_start(chain_model(), (struct fake_device *const[]){&cpu}, 1, true);
    REQUIRE(compilation != NULL);

    listen_to_all(&listener);
    int code = ANeuralNetworksCompilation_finish(hy_compilation_handle(compilation));
    EXPECT_INT(code, ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_INT(listener.compilations, 1);
    EXPECT_INT(listener.last.code, code);
    EXPECT_STR(listener.last.device_ids, "halyard-cpu=1");
    EXPECT(listener.last.total > 0 && listener.last.total < UNKNOWN);
    EXPECT(!listener.last.caching && !listener.last.dynamic);

    EXPECT_INT(ANeuralNetworksCompilation_finish(hy_compilation_handle(compilation)),
               ANEURALNETWORKS_BAD_STATE);
    EXPECT_INT(ANeuralNetworksCompilation_finish(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
    EXPECT_INT(listener.compilations, 1);
    listen_to_nothing();
    hy_compilation_release(compilation);
}

/* y = IF (true) RELU(x), whose bodies alone fake devices take. */
static struct hy_app_model *conditional_model(void)
{
    const uint32_t one = 1;
    const uint8_t yes = 1;
    struct fixture body = fixture_relu(), f = fixture_create();
    uint32_t x = floats(&f, EXTENT), y = floats(&f, EXTENT);
    uint32_t inputs[] = {tensor(&f, ANEURALNETWORKS_TENSOR_BOOL8, 1, &one, 0),
                         scalar(&f, ANEURALNETWORKS_MODEL), scalar(&f, ANEURALNETWORKS_MODEL), x};
    bool ok = finish(&body) == HY_OK && set(&f, inputs[0], &yes, 1) == HY_OK;

    for (uint32_t i = 1; i < 3; i++)
        ok = ok && hy_app_model_set_value_from_model(f.model, inputs[i], body.model, NULL) == HY_OK;
    ok = ok && op(&f, ANEURALNETWORKS_IF, 4, inputs, y) == HY_OK && identify(&f, x, y) == HY_OK &&
         finish(&f) == HY_OK;
    fixture_free(&body);
    if (!ok)
        fixture_free(&f);
    return f.model;
}

TEST(diagnostics, control_flow_is_told)
{
    struct listener listener = {0};
    init_devices();
    struct hy_compilation *compilation = compile_start(conditional_model(), both, 2, false);
    REQUIRE(compilation != NULL);

    listen_to_all(&listener);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    listen_to_nothing();
    EXPECT_INT(listener.compilations, 1);
    EXPECT_INT(listener.last.code, ANEURALNETWORKS_NO_ERROR);
    EXPECT(listener.last.control_flow);
    hy_compilation_release(compilation);
}

/* ---- Data classes ---------------------------------------------------------------------------- */

/* Inputs of these types, which nothing reads; the output, of float32, is made from a constant. */
static struct hy_app_model *model_with_inputs(const int32_t *types, uint32_t count)
{
    const uint32_t extent = EXTENT;
    struct fixture f = fixture_create();
    uint32_t inputs[8];

    for (uint32_t i = 0; i < count; i++) {
        const bool is_scalar =
            types[i] == ANEURALNETWORKS_INT32 || types[i] == ANEURALNETWORKS_FLOAT32;
        const bool is_quantised = types[i] == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ||
                                  types[i] == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED ||
                                  types[i] == ANEURALNETWORKS_TENSOR_QUANT8_SYMM ||
                                  types[i] == ANEURALNETWORKS_TENSOR_QUANT16_SYMM ||
                                  types[i] == ANEURALNETWORKS_TENSOR_QUANT16_ASYMM;
        inputs[i] = is_scalar ? scalar(&f, types[i])
                              : tensor(&f, types[i], 1, &extent, is_quantised ? .5f : 0);
    }
    uint32_t k = floats(&f, EXTENT), y = floats(&f, EXTENT);
    static const float constant_input[EXTENT];
    bool ok =
        set(&f, k, constant_input, sizeof constant_input) == HY_OK && relu(&f, k, y) == HY_OK &&
        hy_app_model_identify(f.model, count, inputs, 1, &y, NULL) == HY_OK && finish(&f) == HY_OK;
    if (!ok)
        fixture_free(&f);
    return f.model;
}

/* What is told of the inputs of such a model. */
static int class_of_inputs(const int32_t *types, uint32_t count)
{
    struct listener listener = {0};
    init_devices();
    struct hy_compilation *compilation =
        compile_start(model_with_inputs(types, count), both, 2, false);
    if (!compilation)
        return -1;
    listen_to_all(&listener);
    EXPECT_INT(hy_compilation_finish(compilation, NULL), HY_OK);
    listen_to_nothing();
    EXPECT_INT(listener.last.output_class, ANNDIAG_DATA_CLASS_FLOAT32);
    hy_compilation_release(compilation);
    return listener.compilations == 1 ? listener.last.input_class : -1;
}

#define F32   ANEURALNETWORKS_TENSOR_FLOAT32
#define F16   ANEURALNETWORKS_TENSOR_FLOAT16
#define QUANT ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
#define INT   ANEURALNETWORKS_TENSOR_INT32

#define EXPECT_CLASS(expected, ...) \
    do { \
        const int32_t types[] = {__VA_ARGS__}; \
        EXPECT_INT(class_of_inputs(types, sizeof types / sizeof types[0]), \
                   ANNDIAG_DATA_CLASS_##expected); \
    } while (0)

TEST(diagnostics, each_operand_type_has_its_data_class)
{
    EXPECT_CLASS(FLOAT32, F32);
    EXPECT_CLASS(FLOAT16, F16);
    EXPECT_CLASS(QUANT, QUANT);
    EXPECT_CLASS(QUANT, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED);
    EXPECT_CLASS(QUANT, ANEURALNETWORKS_TENSOR_QUANT8_SYMM);
    EXPECT_CLASS(QUANT, ANEURALNETWORKS_TENSOR_QUANT16_SYMM);
    EXPECT_CLASS(QUANT, ANEURALNETWORKS_TENSOR_QUANT16_ASYMM);
    EXPECT_CLASS(OTHER, INT);
    EXPECT_CLASS(OTHER, ANEURALNETWORKS_TENSOR_BOOL8);
    EXPECT_CLASS(OTHER, ANEURALNETWORKS_INT32);
    EXPECT_CLASS(OTHER, ANEURALNETWORKS_FLOAT32);
}

TEST(diagnostics, data_classes_mix_unless_one_is_other)
{
    EXPECT_CLASS(FLOAT32, F32, F32);
    EXPECT_CLASS(FLOAT32, INT, F32);
    EXPECT_CLASS(FLOAT32, F32, INT);
    EXPECT_CLASS(QUANT, INT, ANEURALNETWORKS_INT32, QUANT, INT);
    EXPECT_CLASS(MIXED, F32, F16);
    EXPECT_CLASS(MIXED, F32, INT, QUANT);
    EXPECT_CLASS(MIXED, F16, QUANT, F16);
    EXPECT_CLASS(MIXED, F32, QUANT, INT);
    EXPECT_CLASS(OTHER, INT, ANEURALNETWORKS_TENSOR_BOOL8);
}

/* ---- Executions ------------------------------------------------------------------------------ */

TEST(diagnostics, an_execution_tells_everything_about_itself_in_each_mode)
{
    struct listener at_compilation = {0};
    listen_to_all(&at_compilation);
    struct hy_compilation *compilation = compile_chain();
    listen_to_nothing();
    REQUIRE(compilation != NULL);

    for (int mode = FIRST_MODE; mode <= LAST_MODE; mode++) {
        struct listener listener = {0};
        struct reported *reported = &listener.last;
        ANeuralNetworksExecution *execution = ready(compilation);
        const bool is_here =
            mode == ANNDIAG_EXECUTION_MODE_SYNC || mode == ANNDIAG_EXECUTION_MODE_BURST;
        listen_to_all(&listener);
        EXPECT_INT(run(execution, mode), NO_ERROR);
        listen_to_nothing();
        EXPECT_INT(listener.executions, 1);
        EXPECT_INT(listener.compilations, 0);
        EXPECT_INT(reported->session, at_compilation.last.session);
        EXPECT_INT(reported->version, ANEURALNETWORKS_FEATURE_LEVEL_8);
        EXPECT(memcmp(reported->architecture, at_compilation.last.architecture,
                      sizeof reported->architecture) == 0);
        EXPECT_STR(reported->device_ids, "acme-npu=7.1-b3,halyard-cpu=1");
        EXPECT_INT(reported->code, NO_ERROR);
        EXPECT_INT(reported->mode, mode);
        EXPECT_INT(reported->input_class, ANNDIAG_DATA_CLASS_FLOAT32);
        EXPECT_INT(reported->output_class, ANNDIAG_DATA_CLASS_FLOAT32);
        EXPECT((reported->total == UNKNOWN) == (mode == ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS));
        EXPECT(reported->total > 0);
        EXPECT(reported->in_driver == UNKNOWN && reported->on_device == UNKNOWN);
        EXPECT(!reported->caching && !reported->control_flow && !reported->dynamic);
        EXPECT_INT(pthread_equal(reported->thread, pthread_self()) != 0, is_here);
        ANeuralNetworksExecution_free(execution);
    }
    hy_compilation_release(compilation);
}

TEST(diagnostics, a_runs_time_is_that_of_the_whole_call)
{
    enum { SLOW_US = 20000 };
    struct listener listener = {0};
    struct hy_compilation *compilation = compile_on_one();
    REQUIRE(compilation != NULL);
    cpu.run_us = SLOW_US;

    for (int mode = FIRST_MODE; mode < ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS; mode++) {
        ANeuralNetworksExecution *execution = ready(compilation);
        const uint64_t start = hy_clock_now();
        listen_to_all(&listener);
        EXPECT_INT(run(execution, mode), NO_ERROR);
        listen_to_nothing();
        EXPECT(listener.last.total >= SLOW_US * UINT64_C(1000));
        EXPECT(listener.last.total <= hy_clock_now() - start);
        ANeuralNetworksExecution_free(execution);
    }
    hy_compilation_release(compilation);
}

TEST(diagnostics, times_of_the_driver_are_told_when_they_are_measured)
{
    struct hy_compilation *compilation = compile_on_one();
    REQUIRE(compilation != NULL);

    for (int mode = FIRST_MODE; mode <= LAST_MODE; mode++) {
        struct listener listener = {0};
        ANeuralNetworksExecution *execution = ready(compilation);
        EXPECT_INT(ANeuralNetworksExecution_setMeasureTiming(execution, true), NO_ERROR);
        listen_to_all(&listener);
        EXPECT_INT(run(execution, mode), NO_ERROR);
        listen_to_nothing();
        EXPECT_INT(listener.last.in_driver, 7);
        EXPECT_INT(listener.last.on_device, 5);
        ANeuralNetworksExecution_free(execution);
    }
    hy_compilation_release(compilation);
}

TEST(diagnostics, an_execution_that_fails_is_told_once_without_the_drivers_times)
{
    struct hy_compilation *compilation = compile_on_one();
    REQUIRE(compilation != NULL);
    cpu.execute_status = HY_STATUS_DEVICE_UNAVAILABLE;

    for (int mode = FIRST_MODE; mode <= LAST_MODE; mode++) {
        struct listener listener = {0};
        ANeuralNetworksExecution *execution = ready(compilation);
        EXPECT_INT(ANeuralNetworksExecution_setMeasureTiming(execution, true), NO_ERROR);
        listen_to_all(&listener);
        EXPECT_INT(run(execution, mode), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
        listen_to_nothing();
        EXPECT_INT(listener.executions, 1);
        EXPECT_INT(listener.last.code, ANEURALNETWORKS_UNAVAILABLE_DEVICE);
        EXPECT_INT(listener.last.mode, mode);
        EXPECT(listener.last.in_driver == UNKNOWN && listener.last.on_device == UNKNOWN);
        ANeuralNetworksExecution_free(execution);
    }
    hy_compilation_release(compilation);
}

TEST(diagnostics, an_execution_without_its_arguments_is_told_with_its_error)
{
    struct hy_compilation *compilation = compile_on_one();
    REQUIRE(compilation != NULL);

    for (int mode = FIRST_MODE; mode <= LAST_MODE; mode++) {
        struct listener listener = {0};
        ANeuralNetworksExecution *execution = NULL;
        REQUIRE(ANeuralNetworksExecution_create(hy_compilation_handle(compilation), &execution) ==
                NO_ERROR);
        listen_to_all(&listener);
        EXPECT_INT(run(execution, mode), ANEURALNETWORKS_BAD_DATA);
        EXPECT_INT(listener.executions, 1);
        EXPECT_INT(listener.last.code, ANEURALNETWORKS_BAD_DATA);
        EXPECT_INT(listener.last.mode, mode);
        EXPECT_INT(run(execution, mode), ANEURALNETWORKS_BAD_STATE); /* which completes nothing */
        EXPECT_INT(listener.executions, 1);
        listen_to_nothing();
        ANeuralNetworksExecution_free(execution);
    }
    hy_compilation_release(compilation);
}

TEST(diagnostics, an_output_that_is_too_small_is_told)
{
    struct listener listener = {0};
    init_devices();
    cpu.min_extent = EXTENT + 1;
    struct hy_compilation *compilation =
        compile(dynamic_model(EXTENT, 0, 0), (struct fake_device *const[]){&cpu}, 1, true, NULL);
    REQUIRE(compilation != NULL);
    ANeuralNetworksExecution *execution = ready(compilation);

    listen_to_all(&listener);
    EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_SYNC),
               ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    listen_to_nothing();
    EXPECT_INT(listener.executions, 1);
    EXPECT_INT(listener.last.code, ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
    ANeuralNetworksExecution_free(execution);
    hy_compilation_release(compilation);
}

TEST(diagnostics, a_failed_dependency_is_told_as_the_executions_end)
{
    struct listener listener = {0};
    int ends[2];
    ANeuralNetworksEvent *gate = NULL, *event = NULL;
    struct hy_compilation *compilation = compile_on_one();
    REQUIRE(compilation && pipe(ends) == 0);
    REQUIRE(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &gate) == NO_ERROR);
    ANeuralNetworksExecution *execution = ready(compilation);

    listen_to_all(&listener);
    EXPECT_INT(ANeuralNetworksExecution_startComputeWithDependencies(
                   execution, (const ANeuralNetworksEvent *const[]){gate}, 1, 0, &event),
               NO_ERROR);
    EXPECT_INT(listener.executions, 0);
    close(ends[1]);
    EXPECT_INT(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_OP_FAILED);
    listen_to_nothing();
    EXPECT_INT(listener.executions, 1);
    EXPECT_INT(listener.last.code, ANEURALNETWORKS_OP_FAILED);
    EXPECT_INT(listener.last.mode, ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS);
    ANeuralNetworksEvent_free(event);
    ANeuralNetworksEvent_free(gate);
    close(ends[0]);
    ANeuralNetworksExecution_free(execution);
    hy_compilation_release(compilation);
}

TEST(diagnostics, each_run_of_a_reusable_execution_is_told_in_its_mode)
{
    struct listener listener = {0};
    unsigned runs = 0;
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation != NULL);
    ANeuralNetworksExecution *execution = ready(compilation);
    EXPECT_INT(ANeuralNetworksExecution_setReusable(execution, true), NO_ERROR);

    listen_to_all(&listener);
    for (int mode = FIRST_MODE; mode <= LAST_MODE; mode++) {
        EXPECT_INT(run(execution, mode), NO_ERROR);
        EXPECT_INT(listener.executions, ++runs);
        EXPECT_INT(listener.last.mode, mode);
    }
    listen_to_nothing();
    EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_SYNC), NO_ERROR);
    EXPECT_INT(listener.executions, runs);
    ANeuralNetworksExecution_free(execution);
    hy_compilation_release(compilation);
}

TEST(diagnostics, tensors_of_unknown_size_are_told_as_dynamic)
{
    const uint32_t extent = EXTENT;
    const ANeuralNetworksOperandType type = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
    struct listener listener = {0};

    init_devices();
    listen_to_all(&listener);
    struct hy_compilation *compilation = compile(dynamic_model(0, 0, EXTENT), both, 2, false, NULL);
    REQUIRE(compilation && compilation->plan->step_count == 2);
    EXPECT(listener.last.dynamic);
    for (int mode = FIRST_MODE; mode <= LAST_MODE; mode++) {
        ANeuralNetworksExecution *execution = NULL;
        listener.last.dynamic = false;
        REQUIRE(ANeuralNetworksExecution_create(hy_compilation_handle(compilation), &execution) ==
                NO_ERROR);
        EXPECT_INT(ANeuralNetworksExecution_setInput(execution, 0, &type, input, sizeof input),
                   NO_ERROR);
        EXPECT_INT(ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output),
                   NO_ERROR);
        EXPECT_INT(run(execution, mode), NO_ERROR);
        EXPECT(listener.last.dynamic);
        ANeuralNetworksExecution_free(execution);
    }
    listen_to_nothing();
    hy_compilation_release(compilation);
}

/* ---- Who listens ----------------------------------------------------------------------------- */

TEST(diagnostics, the_last_callbacks_replace_all_earlier_ones)
{
    struct listener first = {0}, second = {0};

    listen_to_all(&first);
    listen_to_all(&second);
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation != NULL);
    ANeuralNetworksExecution *execution = ready(compilation);
    EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_SYNC), NO_ERROR);
    listen_to_nothing();
    EXPECT_INT(first.compilations + first.executions, 0);
    EXPECT_INT(second.compilations, 1);
    EXPECT_INT(second.executions, 1);
    ANeuralNetworksExecution_free(execution);
    hy_compilation_release(compilation);
}

TEST(diagnostics, either_callback_may_be_left_out)
{
    struct listener listener = {0};

    sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, on_execution, &listener);
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation != NULL);
    ANeuralNetworksExecution *execution = ready(compilation);
    EXPECT_INT(ANeuralNetworksExecution_setReusable(execution, true), NO_ERROR);
    EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_SYNC), NO_ERROR);
    EXPECT_INT(listener.compilations, 0);
    EXPECT_INT(listener.executions, 1);
    hy_compilation_release(compilation);

    sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(on_compilation, NULL, &listener);
    EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_SYNC), NO_ERROR);
    hy_compilation_release(compile_chain());
    listen_to_nothing();
    EXPECT_INT(listener.compilations, 1);
    EXPECT_INT(listener.executions, 1);
    ANeuralNetworksExecution_free(execution);
}

/* A listener that hands over to the next during its callback. */
static void hand_over(const void *context, const ANeuralNetworksDiagnosticExecutionInfo *info)
{
    (void)info;
    sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, on_execution,
                                                         (void *)(uintptr_t)context);
}

TEST(diagnostics, a_callback_may_register_others)
{
    struct listener listener = {0};
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation != NULL);
    ANeuralNetworksExecution *execution = ready(compilation);
    EXPECT_INT(ANeuralNetworksExecution_setReusable(execution, true), NO_ERROR);

    sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, hand_over, &listener);
    EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_SYNC), NO_ERROR);
    EXPECT_INT(listener.executions, 0);
    EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_SYNC), NO_ERROR);
    EXPECT_INT(listener.executions, 1);
    listen_to_nothing();
    ANeuralNetworksExecution_free(execution);
    hy_compilation_release(compilation);
}

TEST(diagnostics, an_asynchronous_end_is_told_before_its_waiters_know)
{
    struct listener listener = {0};
    struct hy_compilation *compilation = compile_chain();
    REQUIRE(compilation != NULL);

    listen_to_all(&listener);
    for (unsigned i = 0; i < 100; i++) {
        ANeuralNetworksExecution *execution = ready(compilation);
        EXPECT_INT(run(execution, ANNDIAG_EXECUTION_MODE_ASYNC), NO_ERROR);
        EXPECT_INT(listener.executions, i + 1);
        ANeuralNetworksExecution_free(execution);
    }
    listen_to_nothing();
    hy_compilation_release(compilation);
}

/* Compiles in a child of fork(), which listens anew; its session, or 0. */
static int32_t session_of_a_child(void)
{
    struct listener listener = {0};
    int32_t session = 0;
    int ends[2];
    if (pipe(ends) != 0)
        return 0;

    if (HY_SLOWNESS > 1) /* the allocator of a sanitizer stays locked in a child */
        hy_threads_wait_for_rest();
    pid_t child = fork();
    if (child == 0) {
        listen_to_all(&listener);
        hy_compilation_release(compile_chain());
        ssize_t written = write(ends[1], &listener.last.session, sizeof session);
        _exit(written == sizeof session ? 0 : 1);
    }
    close(ends[1]);
    if (read(ends[0], &session, sizeof session) != sizeof session)
        session = 0;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return session;
}

TEST(diagnostics, a_process_has_one_session_and_its_child_another)
{
    struct listener listener = {0};

    listen_to_all(&listener);
    hy_compilation_release(compile_chain());
    const int32_t session = listener.last.session;
    hy_compilation_release(compile_chain());
    listen_to_nothing();
    EXPECT_INT(listener.compilations, 2);
    EXPECT_INT(listener.last.session, session);
    const int32_t of_child = session_of_a_child();
    EXPECT(of_child != 0 && of_child != session);
}

/* ---- Many threads ---------------------------------------------------------------------------- */

enum { THREADS = 4, RUNS = 200 };

static atomic_uint counts[2]; /* contexts of two registrations */

static void count_execution(const void *context, const ANeuralNetworksDiagnosticExecutionInfo *info)
{
    const uint8_t *hash = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash(info);
    const char *ids = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds(info);

    if (hash && ids && strcmp(ids, "halyard-cpu=1") == 0)
        atomic_fetch_add((atomic_uint *)(uintptr_t)context, 1);
}

static void *run_many(void *compilation)
{
    float in[EXTENT] = {1, 2, 3, 4}, out[EXTENT];
    struct hy_execution *execution = execution_of(compilation, in, (float *[]){out});
    uintptr_t failures = execution ? 0 : RUNS;

    if (execution)
        execution->reusable = true;
    for (int i = 0; execution && i < RUNS; i++)
        failures += ANeuralNetworksExecution_compute(hy_execution_handle(execution)) != NO_ERROR;
    hy_execution_release(execution);
    return (void *)failures;
}

static void register_counter(unsigned which)
{
    sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, count_execution, &counts[which]);
}

TEST(diagnostics, every_execution_is_told_once_while_callbacks_are_replaced)
{
    pthread_t threads[THREADS];
    init_devices();
    cpu.device.table = &fake_parallel_table;
    struct hy_compilation *compilation =
        compile(chain_model(), (struct fake_device *const[]){&cpu}, 1, true, NULL);
    REQUIRE(compilation != NULL);

    register_counter(0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_many, compilation) == 0);
    for (unsigned i = 0; i < 1000; i++)
        register_counter(i % 2);
    for (int i = 0; i < THREADS; i++) {
        void *failures = NULL;
        pthread_join(threads[i], &failures);
        EXPECT_INT((uintptr_t)failures, 0);
    }
    listen_to_nothing();
    EXPECT_INT(counts[0] + counts[1], THREADS * RUNS);
    hy_compilation_release(compilation);
}
