#include "arguments.h"

#include "driver_kit/blob_list.h"
#include "driver_kit/message.h"
#include "driver_kit/settings.h"
#include "operations.h"
#include "sample_buffer.h"

#define MAX_RATIO 1000
#define MAX_SIZE  UINT64_C(1000000000000000)

static const char *const compiles[] = {[SAMPLE_COMPILE_PLAIN] = "plain",
                                       [SAMPLE_COMPILE_AT_PREPARE] = "at_prepare",
                                       [SAMPLE_COMPILE_JUST_IN_TIME] = "just_in_time",
                                       NULL};
static const char *const deferred_modes[] = {
    [SAMPLE_DEFERRED_COMMIT] = "commit", [SAMPLE_DEFERRED_DESCRIPTORS] = "descriptors", NULL};

#define AT(member) offsetof(struct sample_arguments, member)
static const struct hy_setting settings[] = {
    {"name", HY_SETTING_TEXT, AT(name), SAMPLE_MAX_NAME, NULL},
    {"operations", HY_SETTING_SET, AT(operations), 0, sample_operation_names},
    {"types", HY_SETTING_SET, AT(types), 0, sample_type_names},
    {"speed", HY_SETTING_RATIO, AT(speed), MAX_RATIO, NULL},
    {"power", HY_SETTING_RATIO, AT(power), MAX_RATIO, NULL},
    {"launch_ns", HY_SETTING_SIZE, AT(launch_ns), MAX_SIZE, NULL},
    {"bytes_per_second", HY_SETTING_SIZE, AT(bytes_per_second), MAX_SIZE, NULL},
    {"compile", HY_SETTING_ENUM, AT(compile), 0, compiles},
    {"late", HY_SETTING_ENUM, AT(deferred), 0, deferred_modes},
    {"cache_files", HY_SETTING_COUNT, AT(cache_files), HY_MAX_CACHE_FILES, NULL},
    {"buffers", HY_SETTING_COUNT, AT(buffers), SAMPLE_MAX_BUFFERS, NULL},
    {"blobs", HY_SETTING_COUNT, AT(blobs), HY_BLOB_LIST_LIMIT, NULL},
};

/* A device caches either in files or in blobs, and only compiled programs are worth caching. */
static bool check_blobs(const struct sample_arguments *arguments, const struct hy_message *message)
{
    if (arguments->blobs == 0 ||
        (arguments->cache_files == 0 && arguments->compile == SAMPLE_COMPILE_AT_PREPARE))
        return true;
    hy_message_write(message,
                     "arguments.blobs needs \"compile\": \"at_prepare\" and excludes cache_files");
    return false;
}

bool sample_arguments_read(const char *text, const struct hy_message *message,
                           struct sample_arguments *out)
{
    struct sample_arguments arguments = {
        .name = "halyard-sample",
        .operations = SAMPLE_STANDARD_OPERATIONS,
        .types = SAMPLE_ALL_TENSORS,
        .speed = 0.5f,
    };
    if (!hy_settings_read(text, settings, sizeof settings / sizeof *settings, &arguments,
                          message) ||
        !check_blobs(&arguments, message))
        return false;
    if (arguments.power == 0)
        arguments.power = arguments.speed;
    *out = arguments;
    return true;
}
