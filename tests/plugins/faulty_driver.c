/*
 * A driver that is wrong in one way, which its arguments choose:
 *     {"fault": "type-0", "name": "a", "devices": 2, "faulty": 1}
 * Without a fault it is a correct driver whose devices do nothing. With several devices their names
 * are a-0, a-1, ..., and only number `faulty` has the fault.
 */
#include <halyard/driver.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 4

struct device {
    struct instance *instance;
    char name[64];
    int is_faulty;
    struct hy_device table;
};

struct instance {
    char fault[64], name[48];
    unsigned devices;
    struct device device[MAX_DEVICES];
};

static int has_fault(const struct device *device, const char *fault)
{
    return device->is_faulty && strcmp(device->instance->fault, fault) == 0;
}

static void read_text(const char *arguments, const char *key, char *out, size_t room)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    const char *at = strstr(arguments, pattern);
    if (!at)
        return;
    at += strlen(pattern);
    snprintf(out, room, "%.*s", (int)strcspn(at, "\""), at);
}

static unsigned read_count(const char *arguments, const char *key, unsigned otherwise)
{
    char pattern[32];
    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    const char *at = strstr(arguments, pattern);
    return at ? (unsigned)strtoul(at + strlen(pattern), NULL, 10) : otherwise;
}

/* ---- Wrong descriptions ---------------------------------------------------------------------- */

static const struct hy_extension_operand_type good_types[] = {{1, 1, 4}, {2, 0, 8}};
static const struct hy_extension_operand_type twice[] = {{7, 1, 4}, {2, 1, 4}, {7, 1, 4}};
static const struct hy_extension_operand_type empty_type[] = {{1, 1, 0}};
static const struct hy_extension extensions[] = {
    {"com.acme.fft", good_types, 2, 0}, {"com.acme.fft", NULL, 0, 0},
    {"com.Acme", NULL, 0, 0},           {"nodot", NULL, 0, 0},
    {"com.acme.twice", twice, 3, 0},    {"com.acme.empty", empty_type, 1, 0},
    {"com.acme.nothing", NULL, 5, 0},
};

static void choose_extensions(const struct device *device, struct hy_device_info *info)
{
    static const struct {
        const char *fault;
        uint32_t first, count;
    } choices[] = {
        {"extension-good", 0, 1},       {"extension-twice", 0, 2},
        {"extension-upper-case", 2, 1}, {"extension-no-dot", 3, 1},
        {"extension-code-twice", 4, 1}, {"extension-byte-size", 5, 1},
        {"extension-null-types", 6, 1},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (has_fault(device, choices[i].fault)) {
            info->extensions = &extensions[choices[i].first];
            info->extension_count = choices[i].count;
        }
    }
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
    if (has_fault(device, "name-reserved"))
        info->name = "nnapi-reference";
    if (has_fault(device, "version-empty"))
        info->version = "";
    if (has_fault(device, "build-id-null"))
        info->build_id = NULL;
    if (has_fault(device, "type-0"))
        info->type = 0;
    if (has_fault(device, "type-5"))
        info->type = 5;
    if (has_fault(device, "level-0"))
        info->feature_level = 0;
    if (has_fault(device, "level-9"))
        info->feature_level = 9;
    if (has_fault(device, "cache-files"))
        info->data_cache_files = 33;
    if (has_fault(device, "info-size"))
        info->struct_size = 8;
}

static int32_t describe(void *self, struct hy_device_info *info)
{
    const struct device *device = self;
    if (has_fault(device, "describe-fails"))
        return HY_STATUS_DEVICE_UNAVAILABLE;
    *info = (struct hy_device_info){.struct_size = sizeof *info,
                                    .type = HY_DEVICE_OTHER,
                                    .name = device->name,
                                    .version = "1",
                                    .build_id = "",
                                    .feature_level = 1};
    choose_info(device, info);
    choose_extensions(device, info);
    return HY_STATUS_OK;
}

/* ---- Wrong figures --------------------------------------------------------------------------- */

static int32_t capabilities(void *self, struct hy_capabilities *capabilities)
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

/* ---- Wrong tables ---------------------------------------------------------------------------- */

static int32_t supported_operations(void *device, const struct hy_model *model, uint8_t *supported,
                                    const struct hy_refusals *refusals)
{
    (void)device, (void)refusals;
    memset(supported, 0, model->main->operation_count);
    return HY_STATUS_OK;
}

static int32_t prepare(void *device, const struct hy_model *model,
                       const struct hy_prepare_options *options, void **prepared)
{
    (void)device, (void)model, (void)options, (void)prepared;
    return HY_STATUS_GENERAL_FAILURE;
}

static void prepared_destroy(void *prepared)
{
    (void)prepared;
}

static int32_t execute(void *prepared, const struct hy_request *request,
                       const struct hy_run_options *options, struct hy_result *result)
{
    (void)prepared, (void)request, (void)options, (void)result;
    return HY_STATUS_GENERAL_FAILURE;
}

static int32_t burst_open(void *prepared, void **burst)
{
    (void)prepared, (void)burst;
    return HY_STATUS_GENERAL_FAILURE;
}

static void fill_table(struct device *device)
{
    device->table = (struct hy_device){.struct_size = sizeof device->table,
                                       .abi = HY_DRIVER_ABI,
                                       .describe = describe,
                                       .capabilities = capabilities,
                                       .supported_operations = supported_operations,
                                       .prepare = prepare,
                                       .prepared_destroy = prepared_destroy,
                                       .execute = execute};
    if (has_fault(device, "table-size"))
        device->table.struct_size = offsetof(struct hy_device, execute);
    if (has_fault(device, "table-short")) /* allowed: it ends behind the required members */
        device->table.struct_size = offsetof(struct hy_device, prepare_from_cache);
    if (has_fault(device, "table-abi"))
        device->table.abi = HY_ABI(0, 2);
    if (has_fault(device, "no-describe"))
        device->table.describe = NULL;
    if (has_fault(device, "no-execute"))
        device->table.execute = NULL;
    if (has_fault(device, "half-a-burst"))
        device->table.burst_open = burst_open;
}

/* ---- The library ----------------------------------------------------------------------------- */

static int32_t create(const struct hy_host *host, const char *arguments,
                      const struct hy_message *message, void **out)
{
    (void)host;
    struct instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return HY_STATUS_GENERAL_FAILURE;
    strcpy(instance->name, "faulty");
    read_text(arguments, "fault", instance->fault, sizeof instance->fault);
    read_text(arguments, "name", instance->name, sizeof instance->name);
    instance->devices = read_count(arguments, "devices", 1);
    unsigned faulty = read_count(arguments, "faulty", 0);

    if (strcmp(instance->fault, "create-fails") == 0) {
        if (message->text)
            memset(message->text, '!', message->size); /* without an end */
        free(instance);
        return HY_STATUS_DEVICE_UNAVAILABLE;
    }
    if (strcmp(instance->fault, "create-gives-nothing") == 0) {
        free(instance);
        *out = NULL;
        return HY_STATUS_OK;
    }
    for (unsigned i = 0; i < MAX_DEVICES; i++) {
        struct device *device = &instance->device[i];
        device->instance = instance;
        device->is_faulty = i == faulty;
        if (instance->devices > 1)
            snprintf(device->name, sizeof device->name, "%s-%u", instance->name, i);
        else
            strcpy(device->name, instance->name);
        fill_table(device);
    }
    *out = instance;
    return HY_STATUS_OK;
}

static void destroy(void *instance)
{
    free(instance);
}

static uint32_t device_count(void *self)
{
    const struct instance *instance = self;
    return instance->devices;
}

static int32_t get_device(void *self, uint32_t index, const struct hy_device **table, void **device)
{
    struct instance *instance = self;
    if (index >= MAX_DEVICES || has_fault(&instance->device[index], "device-fails"))
        return HY_STATUS_INVALID_ARGUMENT;
    *table = &instance->device[index].table;
    *device = &instance->device[index];
    if (has_fault(&instance->device[index], "table-null"))
        *table = NULL;
    return HY_STATUS_OK;
}

static const struct hy_driver driver = {
    .struct_size = sizeof driver,
    .abi = HY_DRIVER_ABI,
    .name = "faulty",
    .create = create,
    .destroy = destroy,
    .device_count = device_count,
    .device = get_device,
};

const struct hy_driver *hy_driver_query(uint32_t host_abi)
{
    (void)host_abi;
    return &driver;
}
