/* Arguments that are no objects: plain ones first, then the ends of ranges and what is odd. */
#include "probe.h"
#include "probe_states.h"
#include "tests/scenarios/contract/kit/fixture.h"

#include <android/NeuralNetworksOEM.h>
#include <limits.h>
#include <math.h>
#include <sys/mman.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

static const uint32_t dims_one[] = {1}, dims_three[] = {3}, dims_four[] = {4}, dims_open[] = {0},
                      dims_pair[] = {2, 2}, dims_huge[] = {UINT32_MAX, UINT32_MAX}, dims_many[17];

static const ANeuralNetworksOperandType operand_types[] = {
    {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims_four, 0, 0},
    {ANEURALNETWORKS_INT32, 0, NULL, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 1, dims_open, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 0, NULL, 0, 0},
    {ANEURALNETWORKS_TENSOR_BOOL8, 1, dims_one, 0, 0},
    {ANEURALNETWORKS_MODEL, 0, NULL, 0, 0},
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, dims_four, .5f, 128},
    {ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, dims_four, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 2, dims_pair, 0, 0},
    {ANEURALNETWORKS_TENSOR_INT32, 1, dims_three, -1, INT32_MIN},
    {ANEURALNETWORKS_OEM_SCALAR, 0, NULL, NAN, INT32_MAX},
    {ANEURALNETWORKS_TENSOR_OEM_BYTE, 1, dims_four, INFINITY, 0},
    {ANEURALNETWORKS_TENSOR_BOOL8, 1, dims_huge, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 2, dims_huge, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 17, dims_many, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, UINT32_MAX, dims_many, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 1, NULL, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, UINT32_MAX, NULL, 0, 0},
    {ANEURALNETWORKS_TENSOR_FLOAT32, 0, dims_four, 0, 0},
    {ANEURALNETWORKS_INT32, 1, dims_one, 0, 0},
    {ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, dims_four, NAN, INT32_MIN},
    {ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, 1, dims_four, -INFINITY, INT32_MAX},
    {-1, 0, NULL, 0, 0},
    {16, 0, NULL, 0, 0},
    {0x10001, 1, dims_four, 0, 0},
    {INT32_MIN, 1, dims_four, 0, 0},
    {INT32_MAX, 1, dims_four, 0, 0},
};

static const float scales[] = {1, 2, 3, 4}, odd_scales[] = {1, NAN, 0, -1};
static const ANeuralNetworksSymmPerChannelQuantParams channel_quants[] = {
    {0, 4, scales}, {0, 4, odd_scales},      {1, 4, scales}, {0, 3, scales},        {0, 0, scales},
    {0, 4, NULL},   {UINT32_MAX, 4, scales}, {0, 0, NULL},   {0, UINT32_MAX, NULL},
};

/* Every list has PROBE_LIST entries, of which the rest are 0. */
static const uint32_t index_lists[][PROBE_LIST] = {
    {0, 1, 2, 3, 4, 5}, {1, 0},    {0},          {2, 3}, {3, 4},
    {0, 0, 1},          {1, 1, 2}, {UINT32_MAX}, {99},   {0, UINT32_MAX, INT32_MAX},
};
static const uint32_t extent_lists[][PROBE_LIST] = {
    {4}, {0}, {5}, {1, 1, 1}, {2, 2}, {UINT32_MAX, UINT32_MAX}, {0, UINT32_MAX},
};

#define TEN(text) text text text text text text text text text text
static const char *const extension_names[] = {
    "com.acme.fft", "com.nobody.has", "nodots", "", "\xff\xfe\n", TEN(TEN("long.")),
};
static const char *const dirs[] = {
    "/proc/nonexistent/halyard/",
    "/dev/null",
    "/proc/nonexistent",
    "/proc/nonexistent/%s%n%s",
};
static const uint8_t tokens[][ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {{1, 2, 3}, {0}, {0xff}};

static const int32_t operation_types[] = {
    ANEURALNETWORKS_ADD,
    ANEURALNETWORKS_RELU,
    ANEURALNETWORKS_CONCATENATION,
    ANEURALNETWORKS_IF,
    ANEURALNETWORKS_WHILE,
    ANEURALNETWORKS_RESHAPE,
    ANEURALNETWORKS_OEM_OPERATION,
    0x10001,
    105,
    106,
    -1,
    20000,
    INT32_MIN,
    INT32_MAX,
};
static const int32_t signed_indices[] = {0, 1, 2, 3, 7, -1, INT32_MIN, INT32_MAX};
static const uint32_t unsigned_indices[] = {0, 1, 2, 3, 7, INT32_MAX, UINT32_MAX};
static const uint32_t counts[] = {1, 2, 3, 0, 17, PROBE_LIST, UINT32_MAX};
static const size_t lengths[] = {
    TENSOR_SIZE,
    4,
    1,
    0,
    2,
    TENSOR_SIZE - 1,
    TENSOR_SIZE + 1,
    64,
    128,
    129,
    PROBE_OUTPUT_BYTES,
    INT32_MAX,
    UINT32_MAX,
    (size_t)UINT32_MAX + 1,
    (size_t)UINT32_MAX + 17,
    SIZE_MAX - 15,
    SIZE_MAX,
};
/* An app may ask for four copied gigabytes, but a test had better not. */
static const size_t copied_lengths[] = {
    1, 4, 0, 129, PROBE_OUTPUT_BYTES, (size_t)UINT32_MAX + 1, SIZE_MAX};
static const size_t offsets[] = {
    0,
    4,
    16,
    4096,
    1,
    PROBE_FILE_SIZE - TENSOR_SIZE,
    PROBE_FILE_SIZE,
    UINT32_MAX,
    (size_t)UINT32_MAX - 15,
    SIZE_MAX - 15,
    SIZE_MAX - 4095,
    SIZE_MAX,
};
static const bool flags[] = {true, false};
static const int32_t codes[] = {0, 1, 2, 90, 100, 110, 3, 4, -1, 99, INT32_MIN, INT32_MAX};
static const uint16_t codes_within[] = {1, 2, 0, 7, UINT16_MAX};
static const float frequencies[] = {1, .5f, 0x1p-126f, 0, -0.0f, -1, 2, NAN, INFINITY, -INFINITY};
static const uint64_t durations[] = {
    0,           2000000000,  1000000,   1,
    15000000000, 15000000001, INT64_MAX, (uint64_t)INT64_MAX + 1,
    UINT64_MAX,
};
static const int protections[] = {
    PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE, PROT_NONE, PROT_EXEC, 64, -1, INT_MIN, INT_MAX,
};

/* ---- Objects that belong to nobody ----------------------------------------------------------- */

static ANeuralNetworksDevice *device_or_stranger(uint32_t number)
{
    ANeuralNetworksDevice *device = NULL;

    if (number >= device_count())
        return OLD_VALUE(ANeuralNetworksDevice);
    EXPECT_OK(ANeuralNetworks_getDevice(number, &device));
    return device;
}

enum { DEVICE_LISTS = 6 };

static const ANeuralNetworksDevice *const *device_list(uint32_t value_index)
{
    static const ANeuralNetworksDevice *lists[DEVICE_LISTS][PROBE_LIST];
    const ANeuralNetworksDevice *cpu = device_named("halyard-cpu");
    const ANeuralNetworksDevice *heads[DEVICE_LISTS][3] = {
        {cpu, device_named("nnapi-reference"), device_named("acme-npu")},
        {device_named("acme-npu"), cpu, device_named("acme-down")},
        {device_named("acme-full"), device_named("acme-down"), device_named("acme-old")},
        {OLD_VALUE(ANeuralNetworksDevice), cpu, NULL},
        {cpu, NULL, NULL},
        {NULL, NULL, NULL},
    };

    for (size_t i = 0; i < PROBE_LIST; i++)
        lists[value_index][i] = i < 3 ? heads[value_index][i] : cpu;
    return lists[value_index];
}

/* ---- Lists of events ------------------------------------------------------------------------- */

enum { EVENTS_WITH_NULL = PROBE_EVENT_STATES, LIVE_EVENTS, EVENT_LISTS };

static const ANeuralNetworksEvent *const *event_list(struct probe_world *world,
                                                     uint32_t value_index)
{
    const uint32_t state = value_index < PROBE_EVENT_STATES ? value_index : PROBE_SIGNALLED_FENCE;
    const struct probe_object *made = probe_make(world, PROBE_event, state);

    for (uint32_t i = 0; made && i < PROBE_LIST; i++) {
        if (value_index == LIVE_EVENTS)
            made = probe_pick(world, PROBE_event, false);
        world->events[i] = made->handle;
    }
    if (value_index == EVENTS_WITH_NULL)
        world->events[1] = NULL;
    return world->events;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* Of tables: the elements themselves, or their addresses. */
static const struct {
    const void *first;
    size_t size;
    uint32_t count;
    bool by_address;
} tables[PROBE_KINDS] = {
#define VALUES(table) \
    { \
        table, sizeof *(table), COUNT_OF(table), false \
    }
#define ADDRESSES(table) \
    { \
        table, sizeof *(table), COUNT_OF(table), true \
    }
    [PROBE_operand_type] = ADDRESSES(operand_types),
    [PROBE_argument_type] = ADDRESSES(operand_types),
    [PROBE_channel_quant] = ADDRESSES(channel_quants),
    [PROBE_indices] = ADDRESSES(index_lists),
    [PROBE_extents] = ADDRESSES(extent_lists),
    [PROBE_token] = ADDRESSES(tokens),
    [PROBE_extension_name] = VALUES(extension_names),
    [PROBE_cache_dir] = VALUES(dirs),
    [PROBE_operation_type] = VALUES(operation_types),
    [PROBE_index] = VALUES(signed_indices),
    [PROBE_unsigned_index] = VALUES(unsigned_indices),
    [PROBE_count] = VALUES(counts),
    [PROBE_length] = VALUES(lengths),
    [PROBE_copied_length] = VALUES(copied_lengths),
    [PROBE_offset] = VALUES(offsets),
    [PROBE_flag] = VALUES(flags),
    [PROBE_code] = VALUES(codes),
    [PROBE_code_within] = VALUES(codes_within),
    [PROBE_frequency] = VALUES(frequencies),
    [PROBE_duration] = VALUES(durations),
    [PROBE_protection] = VALUES(protections),
#undef VALUES
#undef ADDRESSES
};

enum { OWN_FILES = 3, OWN_FENCES = 2 }; /* beside numbers that are no descriptors */
enum { BUFFERS = 2 };

static const int no_files[] = {-1, INT_MAX, INT_MIN};

uint32_t probe_value_count(enum probe_kind kind)
{
    switch (kind) {
    case PROBE_device:
        return device_count() + 1;
    case PROBE_devices:
        return DEVICE_LISTS;
    case PROBE_events:
        return EVENT_LISTS;
    case PROBE_file:
        return OWN_FILES + COUNT_OF(no_files);
    case PROBE_fence:
        return OWN_FENCES + COUNT_OF(no_files);
    case PROBE_hardware_buffer:
        return BUFFERS;
    default:
        return tables[kind].count ? tables[kind].count : 1;
    }
}

static int choose_file(const struct probe_world *world, uint32_t value_index)
{
    const int files[OWN_FILES] = {world->file, world->pipe[0], world->signalled_fence};
    return value_index < OWN_FILES ? files[value_index] : no_files[value_index - OWN_FILES];
}

/* None that would never be signalled. */
static int choose_fence(const struct probe_world *world, uint32_t value_index)
{
    const int fences[OWN_FENCES] = {world->signalled_fence, world->file};
    return value_index < OWN_FENCES ? fences[value_index] : no_files[value_index - OWN_FENCES];
}

/* Bytes, and an image; they stay as long as the process. */
static AHardwareBuffer *hardware_buffer(uint32_t value_index)
{
    static const AHardwareBuffer_Desc descs[BUFFERS] = {
        {.width = 4 * TENSOR_SIZE,
         .height = 1,
         .layers = 1,
         .format = AHARDWAREBUFFER_FORMAT_BLOB,
         .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN},
        {.width = EXTENT,
         .height = 1,
         .layers = 1,
         .format = AHARDWAREBUFFER_FORMAT_D32_FLOAT,
         .usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN},
    };
    static AHardwareBuffer *buffers[BUFFERS];

    if (!buffers[value_index])
        EXPECT_INT(AHardwareBuffer_allocate(&descs[value_index], &buffers[value_index]), 0);
    return buffers[value_index];
}

static union probe_value choose_from_table(enum probe_kind kind, uint32_t value_index)
{
    const char *element = (const char *)tables[kind].first + value_index * tables[kind].size;
    union probe_value value = {0};

    if (tables[kind].by_address)
        value.pointer = (void *)(uintptr_t)element;
    else
        memcpy(&value, element, tables[kind].size);
    return value;
}

union probe_value probe_choose(struct probe_world *world, enum probe_kind kind, uint32_t position,
                               uint32_t value_index)
{
    switch (kind) {
    case PROBE_device:
        return (union probe_value){.device = device_or_stranger(value_index)};
    case PROBE_hardware_buffer:
        return (union probe_value){.hardware_buffer = hardware_buffer(value_index)};
    case PROBE_devices:
        return (union probe_value){.devices = device_list(value_index)};
    case PROBE_events:
        return (union probe_value){.events = event_list(world, value_index)};
    case PROBE_file:
        return (union probe_value){.file = choose_file(world, value_index)};
    case PROBE_fence:
        return (union probe_value){.fence = choose_fence(world, value_index)};
    case PROBE_bytes:
        return (union probe_value){.bytes = world->bytes + PROBE_INPUT};
    case PROBE_out_buffer:
        return (union probe_value){.out_buffer = probe_output_buffer(world)};
    default:
        break;
    }
    if (tables[kind].count > 0)
        return choose_from_table(kind, value_index);
    return (union probe_value){.pointer = &world->results[position]};
}
