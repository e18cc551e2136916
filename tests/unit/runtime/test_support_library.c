/* The library as a support library: the table, what it shows, and the functions only it has. */
#include "tests/kit/test.h"

#include <android/NeuralNetworksSupportLibraryImpl.h>
#include <ftw.h>
#include <halyard/halyard.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define NO_ERROR ANEURALNETWORKS_NO_ERROR
#define NULL_    ANEURALNETWORKS_UNEXPECTED_NULL
#define BAD_DATA ANEURALNETWORKS_BAD_DATA
#define STATE    ANEURALNETWORKS_BAD_STATE

static const NnApiSLDriverImplFL5 *sl(void)
{
    return (const NnApiSLDriverImplFL5 *)ANeuralNetworks_getSLDriverImpl();
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct member {
    const char *name;
    size_t offset;
    void (*function)(void); /* what must stand there; NULL: only the table has it */
} members[] = {
#define API(name) {#name, offsetof(NnApiSLDriverImplFL5, name), (void (*)(void))name},
#define SL(name)  {#name, offsetof(NnApiSLDriverImplFL5, name), NULL},
#include "tests/unit/runtime/kit/support_library_members.def"
#undef API
#undef SL
};

enum { API_COUNT = 71, SL_COUNT = 33, COUNT = sizeof members / sizeof members[0] };

/* What the table holds at an offset. */
static void (*entry(size_t offset))(void)
{
    void (*function)(void);
    memcpy(&function, (const char *)sl() + offset, sizeof function);
    return function;
}

TEST(support_library, functions_stand_in_the_order_of_their_names)
{
    EXPECT_INT(COUNT, API_COUNT + SL_COUNT);
    for (size_t i = 0; i < COUNT; i++)
        EXPECT_INT(members[i].offset, sizeof(int64_t) + i * sizeof(void (*)(void)));
    for (size_t i = 0; i + 1 < API_COUNT; i++)
        EXPECT(strcmp(members[i].name, members[i + 1].name) < 0);
}

TEST(support_library, every_entry_is_the_function_of_its_name)
{
    for (size_t i = 0; i < COUNT; i++) {
        const bool differs = strcmp(members[i].name, "ANeuralNetworks_getDevice") == 0 ||
                             strcmp(members[i].name, "ANeuralNetworks_getDeviceCount") == 0;
        EXPECT(entry(members[i].offset) != NULL);
        if (members[i].function && !differs)
            EXPECT(entry(members[i].offset) == members[i].function);
        for (size_t j = 0; j < i; j++)
            EXPECT(entry(members[i].offset) != entry(members[j].offset));
    }
}

TEST(support_library, the_table_is_of_level_8_and_reads_as_any_lower_one)
{
    const NnApiSLDriverImpl *any = ANeuralNetworks_getSLDriverImpl();
    const NnApiSLDriverImplFL8 *fl8 = (const NnApiSLDriverImplFL8 *)any;
    const NnApiSLDriverImplFL7 *fl7 = (const NnApiSLDriverImplFL7 *)any;
    const NnApiSLDriverImplFL6 *fl6 = (const NnApiSLDriverImplFL6 *)any;

    EXPECT_INT(any->implFeatureLevel, ANEURALNETWORKS_FEATURE_LEVEL_8);
    EXPECT(any == ANeuralNetworks_getSLDriverImpl());
    EXPECT(fl8->ANeuralNetworksCompilation_addExtensionAttribute ==
           ANeuralNetworksCompilation_addExtensionAttribute);
    EXPECT(fl8->ANeuralNetworksExecution_addExtensionAttribute ==
           ANeuralNetworksExecution_addExtensionAttribute);
    EXPECT_INT(fl7->ANeuralNetworks_getRuntimeFeatureLevel(), ANEURALNETWORKS_FEATURE_LEVEL_8);
    EXPECT_INT(fl6->ANeuralNetworks_getMaximumLoopTimeout(),
               ANeuralNetworks_getMaximumLoopTimeout());
    EXPECT_INT(sl()->ANeuralNetworks_getDefaultLoopTimeout(),
               ANeuralNetworks_getDefaultLoopTimeout());
}

/* ---- Devices --------------------------------------------------------------------------------- */

static ANeuralNetworksDevice *device_named(const char *wanted)
{
    ANeuralNetworksDevice *device = NULL;
    const char *name = "";

    for (uint32_t i = 0; strcmp(name, wanted) != 0; i++) {
        if (ANeuralNetworks_getDevice(i, &device) != NO_ERROR)
            return NULL;
        EXPECT_INT(ANeuralNetworksDevice_getName(device, &name), NO_ERROR);
    }
    return device;
}

#define NPU device_named("acme-npu")
#define CPU device_named("halyard-cpu")

static ANeuralNetworksDevice *stranger(void)
{
    static int nothing;
    return (ANeuralNetworksDevice *)&nothing;
}

TEST(support_library, shows_drivers_and_the_fast_cpu_but_no_reference_device)
{
    static const char *const names[] = {"acme-npu", "halyard-cpu"};
    uint32_t count = 99, all = 0;

    EXPECT_INT(sl()->ANeuralNetworks_getDeviceCount(&count), NO_ERROR);
    EXPECT_INT(ANeuralNetworks_getDeviceCount(&all), NO_ERROR);
    EXPECT_INT(count, 2);
    EXPECT_INT(all, 3);
    for (uint32_t i = 0; i < 2; i++) {
        ANeuralNetworksDevice *device = NULL;
        const char *name = NULL;
        EXPECT_INT(sl()->ANeuralNetworks_getDevice(i, &device), NO_ERROR);
        EXPECT_INT(sl()->ANeuralNetworksDevice_getName(device, &name), NO_ERROR);
        EXPECT_STR(name, names[i]);
        EXPECT(device == device_named(names[i]));
    }
}

TEST(support_library, devices_past_those_shown_are_bad_data)
{
    ANeuralNetworksDevice *device = stranger();

    EXPECT_INT(sl()->ANeuralNetworks_getDeviceCount(NULL), NULL_);
    EXPECT_STR(halyard_last_error(), "getDeviceCount: numDevices is NULL");
    EXPECT_INT(sl()->ANeuralNetworks_getDevice(0, NULL), NULL_);
    EXPECT_INT(sl()->ANeuralNetworks_getDevice(2, &device), BAD_DATA);
    EXPECT_STR(halyard_last_error(),
               "getDevice: device index 2 does not exist, the support library has 2 devices");
    EXPECT(device == NULL);
    device = stranger();
    EXPECT_INT(sl()->ANeuralNetworks_getDevice(UINT32_MAX, &device), BAD_DATA);
    EXPECT(device == NULL);
}

TEST(support_library, cache_files_needed_are_those_of_the_device)
{
    uint32_t model = 99, data = 99;

    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(NPU, &model, &data),
               NO_ERROR);
    EXPECT_INT(model, 2);
    EXPECT_INT(data, 1);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(CPU, &model, &data),
               NO_ERROR);
    EXPECT_INT(model, 1);
    EXPECT_INT(data, 1);
}

TEST(support_library, cache_files_needed_are_0_after_a_failure)
{
    uint32_t model = 99, data = 99;

    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(NULL, &model, &data),
               NULL_);
    EXPECT_STR(halyard_last_error(), "SL_Device_getNumberOfCacheFilesNeeded: device is NULL");
    EXPECT_INT(model + data, 0);
    data = 99;
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(NPU, NULL, &data), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "numModelCacheFiles is NULL");
    EXPECT_INT(data, 0);
    model = 99;
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(NPU, &model, NULL),
               NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "numDataCacheFiles is NULL");
    EXPECT_INT(model, 0);
    EXPECT_INT(
        sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(stranger(), &model, &data),
        BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "is not a device of this library");
}

TEST(support_library, performance_is_told_by_kind)
{
    for (int32_t kind = 0; kind < 4; kind++) {
        SL_ANeuralNetworksPerformanceInfo info = {0};
        EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(NPU, kind, &info), NO_ERROR);
        EXPECT(info.execTime == (float)(2 * kind + 1));
        EXPECT(info.powerUsage == (float)(2 * kind + 2));
        EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(CPU, kind, &info), NO_ERROR);
        EXPECT(info.execTime == 1 && info.powerUsage == 1);
    }
}

TEST(support_library, performance_is_0_after_a_failure)
{
    static const int32_t kinds[] = {-1, 4, INT32_MAX, INT32_MIN};
    SL_ANeuralNetworksPerformanceInfo info = {9, 9};

    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(NULL, 0, &info), NULL_);
    EXPECT_STR(halyard_last_error(), "SL_Device_getPerformanceInfo: device is NULL");
    EXPECT(info.execTime == 0 && info.powerUsage == 0);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(NPU, 0, NULL), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "performanceInfo is NULL");
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(stranger(), 0, &info), BAD_DATA);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        info = (SL_ANeuralNetworksPerformanceInfo){9, 9};
        EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(NPU, kinds[i], &info),
                   BAD_DATA);
        EXPECT_CONTAINS(halyard_last_error(), "needs 0 to 3");
        EXPECT(info.execTime == 0 && info.powerUsage == 0);
    }
}

struct figures {
    uint32_t count;
    SL_ANeuralNetworksOperandPerformanceInfo info[32];
};

static void receive_figure(SL_ANeuralNetworksOperandPerformanceInfo info, void *context)
{
    struct figures *figures = context;
    if (figures->count < 32)
        figures->info[figures->count] = info;
    figures->count++;
}

TEST(support_library, each_figure_of_an_operand_type_is_told_once)
{
    struct figures npu = {0}, cpu = {0};

    EXPECT_INT(
        sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(NPU, &npu, receive_figure),
        NO_ERROR);
    EXPECT_INT(npu.count, 2);
    EXPECT_INT(npu.info[0].operandType, ANEURALNETWORKS_TENSOR_FLOAT32);
    EXPECT(npu.info[0].performanceInfo.execTime == .25f);
    EXPECT(npu.info[0].performanceInfo.powerUsage == .5f);
    EXPECT_INT(npu.info[1].operandType, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM);
    EXPECT(npu.info[1].performanceInfo.execTime == .125f);
    EXPECT(npu.info[1].performanceInfo.powerUsage == 2);

    EXPECT_INT(
        sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(CPU, &cpu, receive_figure),
        NO_ERROR);
    EXPECT(cpu.count > 2);
}

TEST(support_library, figures_need_device_context_and_callback)
{
    struct figures figures = {0};

    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(NULL, &figures,
                                                                            receive_figure),
               NULL_);
    EXPECT_INT(
        sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(NPU, NULL, receive_figure),
        NULL_);
    EXPECT_STR(halyard_last_error(), "SL_Device_forEachOperandPerformanceInfo: context is NULL");
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(NPU, &figures, NULL),
               NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "callback is NULL");
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(stranger(), &figures,
                                                                            receive_figure),
               BAD_DATA);
    EXPECT_INT(figures.count, 0);
}

TEST(support_library, extensions_are_counted_and_named)
{
    const char *name = NULL;
    uint32_t count = 99;

    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(NPU, &count), NO_ERROR);
    EXPECT_INT(count, 2);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(NPU, 0, &name), NO_ERROR);
    EXPECT_STR(name, "com.acme.fft");
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(NPU, 1, &name), NO_ERROR);
    EXPECT_STR(name, "com.acme.none");
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(CPU, &count), NO_ERROR);
    EXPECT_INT(count, 1);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(CPU, 0, &name), NO_ERROR);
    EXPECT_STR(name, "org.halyard.operations");
}

/* The device lists it between the two; a support library tells of an extension only as a whole. */
TEST(support_library, extension_that_is_supported_in_part_is_not_told)
{
    uint32_t count = 0;
    bool supported = true;

    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(NPU, &count), NO_ERROR);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = NULL;
        EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(NPU, i, &name), NO_ERROR);
        EXPECT(strcmp(name, "com.acme.part") != 0);
    }
    EXPECT_INT(sl()->ANeuralNetworksDevice_getExtensionSupport(NPU, "com.acme.part", &supported),
               NO_ERROR);
    EXPECT(!supported);
}

TEST(support_library, extensions_are_0_and_null_after_a_failure)
{
    const char *name = "x";
    uint32_t count = 99;

    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(NULL, &count), NULL_);
    EXPECT_INT(count, 0);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(NPU, NULL), NULL_);
    EXPECT_STR(halyard_last_error(),
               "SL_Device_getVendorExtensionCount: vendorExtensionCount is NULL");
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(stranger(), &count),
               BAD_DATA);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(NULL, 0, &name), NULL_);
    EXPECT(name == NULL);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(NPU, 0, NULL), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "extensionName is NULL");
    name = "x";
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(NPU, 2, &name), BAD_DATA);
    EXPECT_STR(halyard_last_error(),
               "SL_Device_getVendorExtensionName: extension 2 does not exist, acme-npu has 2");
    EXPECT(name == NULL);
    EXPECT_INT(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(CPU, 1, &name), BAD_DATA);
}

struct types {
    uint32_t count;
    SL_ANeuralNetworksExtensionOperandTypeInformation info[4];
};

static void receive_type(SL_ANeuralNetworksExtensionOperandTypeInformation info, void *context)
{
    struct types *types = context;
    if (types->count < 4)
        types->info[types->count] = info;
    types->count++;
}

#define FOR_EACH_TYPE sl()->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation

TEST(support_library, operand_types_of_an_extension_are_told)
{
    struct types types = {0};

    EXPECT_INT(FOR_EACH_TYPE(NPU, 0, &types, receive_type), NO_ERROR);
    EXPECT_INT(types.count, 2);
    EXPECT_INT(types.info[0].type, 1);
    EXPECT_INT(types.info[0].byteSize, 8);
    EXPECT(types.info[0].isTensor);
    EXPECT_INT(types.info[1].type, 2);
    EXPECT_INT(types.info[1].byteSize, 6);
    EXPECT(!types.info[1].isTensor);
    EXPECT_INT(FOR_EACH_TYPE(NPU, 1, &types, receive_type), NO_ERROR);
    EXPECT_INT(types.count, 2);
}

TEST(support_library, operand_types_need_device_index_context_and_callback)
{
    struct types types = {0};

    EXPECT_INT(FOR_EACH_TYPE(NULL, 0, &types, receive_type), NULL_);
    EXPECT_INT(FOR_EACH_TYPE(NPU, 0, NULL, receive_type), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "context is NULL");
    EXPECT_INT(FOR_EACH_TYPE(NPU, 0, &types, NULL), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "callback is NULL");
    EXPECT_INT(FOR_EACH_TYPE(NPU, 2, &types, receive_type), BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "extension 2 does not exist, acme-npu has 2");
    EXPECT_INT(FOR_EACH_TYPE(CPU, 1, &types, receive_type), BAD_DATA);
    EXPECT_INT(FOR_EACH_TYPE(stranger(), 0, &types, receive_type), BAD_DATA);
    EXPECT_INT(types.count, 0);
}

/* ---- Models through the table ---------------------------------------------------------------- */

/* output = RELU(input), four floats; NULL: something failed. */
static ANeuralNetworksModel *relu_model(void)
{
    static const uint32_t extent = 4, zero = 0, one = 1;
    const ANeuralNetworksOperandType floats = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .dimensionCount = 1, .dimensions = &extent};
    ANeuralNetworksModel *model = NULL;

    if (sl()->ANeuralNetworksModel_create(&model) == NO_ERROR &&
        sl()->ANeuralNetworksModel_addOperand(model, &floats) == NO_ERROR &&
        sl()->ANeuralNetworksModel_addOperand(model, &floats) == NO_ERROR &&
        sl()->ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1, &zero, 1, &one) ==
            NO_ERROR &&
        sl()->ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &zero, 1, &one) == NO_ERROR &&
        sl()->ANeuralNetworksModel_finish(model) == NO_ERROR)
        return model;
    ANeuralNetworksModel_free(model);
    return NULL;
}

/* Not finished; the model is the caller's. */
static ANeuralNetworksCompilation *compilation_for(ANeuralNetworksModel *model,
                                                   const ANeuralNetworksDevice *device)
{
    ANeuralNetworksCompilation *compilation = NULL;
    EXPECT_INT(sl()->ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation),
               NO_ERROR);
    return compilation;
}

TEST(support_library, a_model_runs_through_the_table_alone)
{
    const float input[4] = {-1, 2, -3, 4};
    float output[4] = {9, 9, 9, 9};
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL);
    ANeuralNetworksCompilation *compilation = compilation_for(model, CPU);
    ANeuralNetworksExecution *execution = NULL;

    EXPECT_INT(sl()->ANeuralNetworksCompilation_finish(compilation), NO_ERROR);
    EXPECT_INT(sl()->ANeuralNetworksExecution_create(compilation, &execution), NO_ERROR);
    EXPECT_INT(sl()->ANeuralNetworksExecution_setInput(execution, 0, NULL, input, sizeof input),
               NO_ERROR);
    EXPECT_INT(sl()->ANeuralNetworksExecution_setOutput(execution, 0, NULL, output, sizeof output),
               NO_ERROR);
    EXPECT_INT(sl()->ANeuralNetworksExecution_compute(execution), NO_ERROR);
    for (int i = 0; i < 4; i++)
        EXPECT(output[i] == (input[i] > 0 ? input[i] : 0));
    sl()->ANeuralNetworksExecution_free(execution);
    sl()->ANeuralNetworksCompilation_free(compilation);
    sl()->ANeuralNetworksModel_free(model);
}

/* ---- Caching --------------------------------------------------------------------------------- */

static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {1, 2, 3};

static int remove_one(const char *path, const struct stat *file_info, int kind, struct FTW *at)
{
    (void)file_info, (void)kind, (void)at;
    return remove(path);
}

static void remove_dir(const char *path)
{
    EXPECT_INT(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* NPU fails when it is given files, and must not be for that. */
TEST(support_library, a_device_that_cannot_bear_cache_files_compiles_without)
{
    char dir[] = "/tmp/halyard-test-XXXXXX";
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL && mkdtemp(dir) != NULL);
    ANeuralNetworksCompilation *compilation = compilation_for(model, NPU);
    struct halyard_plan_step step = {.struct_size = sizeof step};

    EXPECT_INT(sl()->ANeuralNetworksCompilation_setCaching(compilation, dir, token), NO_ERROR);
    EXPECT_INT(sl()->ANeuralNetworksCompilation_finish(compilation), NO_ERROR);
    EXPECT_INT(halyard_compilation_get_step(compilation, 0, &step), NO_ERROR);
    EXPECT_INT(step.cache, HALYARD_CACHE_NOT_STORED);
    EXPECT_CONTAINS(step.cache_reason, "prepare with cache files");
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    remove_dir(dir);
}

TEST(support_library, a_cache_folder_that_is_not_there_is_no_failure)
{
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL);
    ANeuralNetworksCompilation *compilation = compilation_for(model, NPU);

    EXPECT_INT(ANeuralNetworksCompilation_setCaching(compilation, "", token), NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_setCaching(compilation, "/none/there", token), NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), NO_ERROR);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

TEST(support_library, set_caching_checks_for_null_then_state)
{
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL);
    ANeuralNetworksCompilation *compilation = compilation_for(model, CPU);

    EXPECT_INT(ANeuralNetworksCompilation_setCaching(NULL, "x", token), NULL_);
    EXPECT_STR(halyard_last_error(), "Compilation_setCaching: compilation is NULL");
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_setCaching(compilation, NULL, token), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "cacheDir is NULL");
    EXPECT_INT(ANeuralNetworksCompilation_setCaching(compilation, "x", NULL), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "token is NULL");
    EXPECT_INT(ANeuralNetworksCompilation_setCaching(compilation, "x", token), STATE);
    EXPECT_CONTAINS(halyard_last_error(), "finish was called before");
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

#define SET_FILES sl()->SL_ANeuralNetworksCompilation_setCachingFromFds

TEST(support_library, cache_files_check_for_null_then_state_then_descriptors)
{
    const int good = STDIN_FILENO, closed = -1;
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL);
    ANeuralNetworksCompilation *compilation = compilation_for(model, CPU);

    EXPECT_INT(SET_FILES(NULL, &good, 1, &good, 1, token), NULL_);
    EXPECT_STR(halyard_last_error(), "SL_Compilation_setCachingFromFds: compilation is NULL");
    EXPECT_INT(SET_FILES(compilation, NULL, 1, &good, 1, token), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "modelCacheFds is NULL");
    EXPECT_INT(SET_FILES(compilation, &good, 1, NULL, 1, token), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "dataCacheFds is NULL");
    EXPECT_INT(SET_FILES(compilation, &good, 1, &good, 1, NULL), NULL_);
    EXPECT_CONTAINS(halyard_last_error(), "token is NULL");
    EXPECT_INT(SET_FILES(compilation, &good, 1, &closed, 1, token), BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "data cache file 0, descriptor -1");
    EXPECT_INT(SET_FILES(compilation, &closed, 1, NULL, 0, token), BAD_DATA);
    EXPECT_CONTAINS(halyard_last_error(), "model cache file 0, descriptor -1");
    EXPECT_INT(SET_FILES(compilation, NULL, 0, NULL, 0, token), NO_ERROR);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), NO_ERROR);
    EXPECT_INT(SET_FILES(compilation, NULL, 1, NULL, 0, token), NULL_);
    EXPECT_INT(SET_FILES(compilation, &closed, 1, NULL, 0, token), STATE);
    EXPECT_CONTAINS(halyard_last_error(), "finish was called before");
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
}

/* The device wants 2 and 1; another count means that nothing is cached. */
TEST(support_library, any_number_of_cache_files_compiles)
{
    enum { MOST = 40 };
    static const uint32_t counts[][2] = {{2, 1}, {1, 2}, {0, 0}, {MOST, 0}, {0, MOST}};
    int files[MOST], ends[2];
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL && pipe(ends) == 0);
    for (int i = 0; i < MOST; i++)
        files[i] = ends[1];

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ANeuralNetworksCompilation *compilation = compilation_for(model, NPU);
        EXPECT_INT(SET_FILES(compilation, files, counts[i][0], files, counts[i][1], token),
                   NO_ERROR);
        EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), NO_ERROR);
        ANeuralNetworksCompilation_free(compilation);
    }
    close(ends[0]);
    close(ends[1]);
    ANeuralNetworksModel_free(model);
}

TEST(support_library, cache_files_live_as_long_as_the_compilation)
{
    int ends[2];
    ANeuralNetworksModel *model = relu_model();
    REQUIRE(model != NULL && pipe(ends) == 0);
    ANeuralNetworksCompilation *compilation = compilation_for(model, CPU);
    struct pollfd look = {.fd = ends[0], .events = POLLIN};

    EXPECT_INT(SET_FILES(compilation, &ends[1], 1, NULL, 0, token), NO_ERROR);
    close(ends[1]);
    EXPECT_INT(ANeuralNetworksCompilation_finish(compilation), NO_ERROR);
    EXPECT_INT(poll(&look, 1, 0), 0);
    ANeuralNetworksCompilation_free(compilation);
    EXPECT_INT(poll(&look, 1, 0), 1);
    EXPECT(look.revents & POLLHUP);
    close(ends[0]);
    ANeuralNetworksModel_free(model);
}

/* ---- Diagnostics without an info ------------------------------------------------------------- */

#define EXPECT_ERROR(name) \
    do { \
        EXPECT_INT(halyard_last_error_code(), NULL_); \
        EXPECT_STR(halyard_last_error(), name " is NULL"); \
        halyard_clear_last_error(); \
    } while (0)

TEST(support_library, questions_about_no_compilation_set_the_last_error)
{
#define EXPECT_NOTHING(getter) \
    do { \
        EXPECT(!sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_##getter(NULL)); \
        EXPECT_ERROR("SL_DiagnosticCompilationInfo_" #getter ": diagnosticCompilationInfo"); \
    } while (0)

    EXPECT_NOTHING(getSessionId);
    EXPECT_NOTHING(getNnApiVersion);
    EXPECT_NOTHING(getModelArchHash);
    EXPECT_NOTHING(getDeviceIds);
    EXPECT_NOTHING(getInputDataClass);
    EXPECT_NOTHING(getOutputDataClass);
    EXPECT_NOTHING(getCompilationTimeNanos);
    EXPECT_NOTHING(isCachingEnabled);
    EXPECT_NOTHING(isControlFlowUsed);
    EXPECT_NOTHING(areDynamicTensorsUsed);
#undef EXPECT_NOTHING
    EXPECT_INT(sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode(NULL), NULL_);
    EXPECT_ERROR("SL_DiagnosticCompilationInfo_getErrorCode: diagnosticCompilationInfo");
}

TEST(support_library, questions_about_no_execution_set_the_last_error)
{
#define EXPECT_NOTHING(getter) \
    do { \
        EXPECT(!sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_##getter(NULL)); \
        EXPECT_ERROR("SL_DiagnosticExecutionInfo_" #getter ": diagnosticExecutionInfo"); \
    } while (0)

    EXPECT_NOTHING(getSessionId);
    EXPECT_NOTHING(getNnApiVersion);
    EXPECT_NOTHING(getModelArchHash);
    EXPECT_NOTHING(getDeviceIds);
    EXPECT_NOTHING(getExecutionMode);
    EXPECT_NOTHING(getInputDataClass);
    EXPECT_NOTHING(getOutputDataClass);
    EXPECT_NOTHING(getRuntimeExecutionTimeNanos);
    EXPECT_NOTHING(getDriverExecutionTimeNanos);
    EXPECT_NOTHING(getHardwareExecutionTimeNanos);
    EXPECT_NOTHING(isCachingEnabled);
    EXPECT_NOTHING(isControlFlowUsed);
    EXPECT_NOTHING(areDynamicTensorsUsed);
#undef EXPECT_NOTHING
    EXPECT_INT(sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode(NULL), NULL_);
    EXPECT_ERROR("SL_DiagnosticExecutionInfo_getErrorCode: diagnosticExecutionInfo");
}
