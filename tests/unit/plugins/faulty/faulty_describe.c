/* What the devices say of themselves. */
#include "faulty.h"

#include <math.h>
#include <string.h>

/* ---- Wrong descriptions ---------------------------------------------------------------------- */

static const struct hy_extension_operand_type good_types[] = {{1, 1, 4}, {2, 0, 8}};
static const struct hy_extension_operand_type twice[] = {{7, 1, 4}, {2, 1, 4}, {7, 1, 4}};
static const struct hy_extension_operand_type own_types[] = {{2, 1, 4}}; /* TENSOR_INT64 */
static const struct hy_extension_operand_type empty_type[] = {{1, 1, 0}};
static const struct hy_extension extensions[] = {
    {"com.acme.fft", good_types, 2, 0},
    {"com.acme.fft", NULL, 0, 0},
    {"com.Acme", NULL, 0, 0},
    {"nodot", NULL, 0, 0},
    {"com.acme.twice", twice, 3, 0},
    {"com.acme.empty", empty_type, 1, 0},
    {"com.acme.nothing", NULL, 5, 0},
    {FAULTY_HOSTILE_TEXT, NULL, 0, 0},
    {"org.halyard.operations", own_types, 1, 0},
};

static const uint8_t part[] = {1}, no_part[] = {2};

static void choose_extensions(const struct device *device, struct hy_device_info *info)
{
    static const struct {
        const char *fault;
        uint32_t first, count;
    } lists[] = {
        {"extension-good", 0, 1},       {"extension-twice", 0, 2},
        {"extension-upper-case", 2, 1}, {"extension-no-dot", 3, 1},
        {"extension-code-twice", 4, 1}, {"extension-byte-size", 5, 1},
        {"extension-null-types", 6, 1}, {"talks-extension", 7, 1},
        {"extension-part", 0, 1},       {"extension-no-part", 0, 1},
        {"extension-own-types", 8, 1},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (has_fault(device, lists[i].fault)) {
            info->extensions = &extensions[lists[i].first];
            info->extension_count = lists[i].count;
        }
    }
    if (has_fault(device, "extension-part"))
        info->partial_extensions = part;
    if (has_fault(device, "extension-no-part"))
        info->partial_extensions = no_part;
    if (has_fault(device, "extension-null"))
        info->extension_count = 3;
    if (has_fault(device, "extension-many"))
        info->extension_count = UINT32_MAX;
}

static const char *long_text(void)
{
    static char text[1000];
    memset(text, 'x', sizeof text); /* without an end, even */
    return text;
}

static void choose_info(const struct device *device, struct hy_device_info *info)
{
    if (has_fault(device, "name-null"))
        info->name = NULL;
    if (has_fault(device, "name-empty"))
        info->name = "";
    if (has_fault(device, "name-long"))
        info->name = long_text();
    if (has_fault(device, "name-newline"))
        info->name = "two\nlines";
    if (has_fault(device, "talks-name"))
        info->name = FAULTY_HOSTILE_TEXT;
    if (has_fault(device, "talks-version"))
        info->version = FAULTY_HOSTILE_TEXT;
    if (has_fault(device, "talks-build"))
        info->build_id = FAULTY_HOSTILE_TEXT;
    if (has_fault(device, "name-reserved"))
        info->name = "nnapi-reference";
    if (has_fault(device, "version-empty"))
        info->version = "";
    if (has_fault(device, "build-id-null"))
        info->build_id = NULL;
    if (has_fault(device, "type-0"))
        info->type = 0;
    if (has_fault(device, "type-negative"))
        info->type = -1;
    if (has_fault(device, "type-5"))
        info->type = 5;
    if (has_fault(device, "level-0"))
        info->feature_level = 0;
    if (has_fault(device, "level-9"))
        info->feature_level = 9;
    if (has_fault(device, "cache-files"))
        info->data_cache_files = 33;
    if (has_fault(device, "kinds-few"))
        info->pool_kinds = 1u << HY_POOL_HOST;
    if (has_fault(device, "kinds-unknown"))
        info->pool_kinds = 1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD |
                           1u << HY_POOL_HARDWARE_BUFFER_BLOB | 1u << HY_POOL_BUFFER;
    if (has_fault(device, "info-size"))
        info->struct_size = 8;
}

int32_t faulty_describe(void *self, struct hy_device_info *info)
{
    const struct device *device = self;
    faulty_talk(device);
    faulty_device_end(device, "describe");
    if (has_fault(device, "describe-fails"))
        return HY_STATUS_DEVICE_UNAVAILABLE;
    *info = (struct hy_device_info){.struct_size = sizeof *info,
                                    .type = HY_DEVICE_OTHER,
                                    .name = device->name,
                                    .version = "1",
                                    .build_id = "",
                                    .feature_level = 1,
                                    .model_cache_files = device->instance->full,
                                    .data_cache_files = 0};
    if (has_fault(device, "describe-changes") &&
        atomic_fetch_add(&((struct device *)self)->calls, 1) > 0)
        info->version = "2";
    choose_info(device, info);
    choose_extensions(device, info);
    return HY_STATUS_OK;
}

/* ---- Wrong figures --------------------------------------------------------------------------- */

int32_t faulty_capabilities(void *self, struct hy_capabilities *capabilities)
{
    static const struct hy_operand_performance good[] = {{3, {1, 1}}, {5, {2, 2}}};
    static const struct hy_operand_performance descending[] = {{5, {1, 1}}, {3, {1, 1}}};
    static const struct hy_operand_performance equal[] = {{3, {1, 1}}, {3, {1, 1}}};
    static const struct hy_operand_performance zero[] = {{3, {0, 1}}, {5, {1, 1}}};
    static const struct hy_operand_performance nan[] = {{3, {1, 1}}, {5, {1, NAN}}};
    static const struct hy_operand_performance model[] = {{3, {1, 1}}, {15, {1, 1}}};
    const struct device *device = self;
    if (has_fault(device, "capabilities-fail"))
        return 77;
    *capabilities = (struct hy_capabilities){.struct_size = sizeof *capabilities,
                                             .operands = good,
                                             .operand_count = 2,
                                             .relaxed_scalar = {1, 1},
                                             .relaxed_tensor = {1, 1},
                                             .if_overhead = {1, 1},
                                             .while_overhead = {1, 1}};
    if (has_fault(device, "figures-change"))
        capabilities->launch_ns = atomic_fetch_add(&((struct device *)self)->calls, 1);
    if (has_fault(device, "figures-descend"))
        capabilities->operands = descending;
    if (has_fault(device, "figures-equal"))
        capabilities->operands = equal;
    if (has_fault(device, "figures-zero"))
        capabilities->operands = zero;
    if (has_fault(device, "figures-nan"))
        capabilities->operands = nan;
    if (has_fault(device, "figures-model"))
        capabilities->operands = model;
    if (has_fault(device, "figures-null"))
        capabilities->operands = NULL;
    if (has_fault(device, "figures-many"))
        capabilities->operand_count = UINT32_MAX;
    if (has_fault(device, "while-infinite"))
        capabilities->while_overhead.exec_time = INFINITY;
    if (has_fault(device, "capabilities-size"))
        capabilities->struct_size = 0;
    return HY_STATUS_OK;
}
