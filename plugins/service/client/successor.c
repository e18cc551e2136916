#include "plugins/service/client/successor.h"

#include <stdio.h>
#include <string.h>

/* Size in bytes of the text of a difference, without the builds and the advice. */
enum { DIFFERENCE_SIZE = 128 };

struct check {
    const struct hy_device_info *first, *now;
    char *difference;
};

/* ---- Builds ---------------------------------------------------------------------------------- */

static const char *build_of(const struct hy_device_info *info)
{
    return info->build_id ? info->build_id : "";
}

static bool is_same_build(const struct hy_device_info *first, const struct hy_device_info *now)
{
    return strcmp(first->version, now->version) == 0 && strcmp(build_of(first), build_of(now)) == 0;
}

bool hy_successor_can_use_files(const struct hy_hello_info *first, const struct hy_hello_info *now,
                                uint32_t device)
{
    const struct hy_device_info *was = &first->devices[device].info;
    const struct hy_device_info *is = &now->devices[device].info;

    return is_same_build(was, is) && was->model_cache_files == is->model_cache_files &&
           was->data_cache_files == is->data_cache_files;
}

void hy_successor_describe_build(const struct hy_hello_info *hello_info, uint32_t device,
                                 char text[HY_BUILD_TEXT_SIZE])
{
    const struct hy_device_info *info = &hello_info->devices[device].info;
    const char *build = build_of(info);

    snprintf(text, HY_BUILD_TEXT_SIZE, "version %.32s%s%.32s", info->version,
             *build ? ", build " : "", build);
}

/* ---- Facts of a device ----------------------------------------------------------------------- */

static bool has_its_name(const struct check *check)
{
    if (strcmp(check->first->name, check->now->name) == 0)
        return true;
    snprintf(check->difference, DIFFERENCE_SIZE, "the name is %.40s, was %.40s", check->now->name,
             check->first->name);
    return false;
}

static bool has_the_level(const struct check *check)
{
    if (check->now->feature_level >= check->first->feature_level)
        return true;
    snprintf(check->difference, DIFFERENCE_SIZE, "the feature level is %u, was %u",
             check->now->feature_level, check->first->feature_level);
    return false;
}

/* pool_kinds 0 means all usual kinds, which another build may list instead. */
static bool accepts_the_memory(const struct check *check)
{
    const uint32_t usual =
        1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD | 1u << HY_POOL_HARDWARE_BUFFER_BLOB;
    const uint32_t first = check->first->pool_kinds ? check->first->pool_kinds : usual;
    const uint32_t now = check->now->pool_kinds ? check->now->pool_kinds : usual;

    /* memory by address is never sent */
    const uint32_t lost = first & ~now & ~(1u << HY_POOL_HOST);
    if (lost == 0)
        return true;
    snprintf(check->difference, DIFFERENCE_SIZE, "memory of the kinds 0x%x is no longer supported",
             lost);
    return false;
}

static bool has_type(const struct hy_extension *extension,
                     const struct hy_extension_operand_type *wanted)
{
    for (uint32_t i = 0; i < extension->operand_type_count; i++) {
        if (memcmp(&extension->operand_types[i], wanted, sizeof *wanted) == 0)
            return true;
    }
    return false;
}

static bool has_types(const struct hy_extension *extension, const struct hy_extension *first)
{
    for (uint32_t i = 0; i < first->operand_type_count; i++) {
        if (!has_type(extension, &first->operand_types[i]))
            return false;
    }
    return true;
}

static bool is_partial(const struct hy_device_info *info, uint32_t index)
{
    return info->partial_extensions && info->partial_extensions[index];
}

static bool has_extension(const struct check *check, uint32_t index)
{
    const struct hy_extension *first = &check->first->extensions[index];
    const struct hy_device_info *now = check->now;

    for (uint32_t i = 0; i < now->extension_count; i++) {
        if (strcmp(now->extensions[i].name, first->name) == 0)
            return has_types(&now->extensions[i], first) &&
                   (!is_partial(now, i) || is_partial(check->first, index));
    }
    return false;
}

static bool has_extensions(const struct check *check)
{
    for (uint32_t i = 0; i < check->first->extension_count; i++) {
        if (!has_extension(check, i)) {
            snprintf(check->difference, DIFFERENCE_SIZE,
                     "the extension %.64s is no longer supported in full",
                     check->first->extensions[i].name);
            return false;
        }
    }
    return true;
}

/* The functions are in the app's table of the device, and each call goes to the current build. */
static bool has_functions(const struct check *check, uint32_t first, uint32_t now)
{
    static const struct {
        uint32_t member;
        const char *name;
    } groups[] = {
        {HY_WIRE_HAS_WAIT, "wait"},
        {HY_WIRE_HAS_FENCED, "execute_fenced"},
        {HY_WIRE_HAS_REUSABLE, "reusable_create"},
        {HY_WIRE_HAS_BUFFERS, "buffer_create"},
    };

    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (first & ~now & groups[i].member) {
            snprintf(check->difference, DIFFERENCE_SIZE, "%s is missing", groups[i].name);
            return false;
        }
    }
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool device_goes_on(const struct hy_description *first, const struct hy_description *now,
                           char *difference)
{
    const struct check check = {.first = &first->info, .now = &now->info, .difference = difference};

    return has_its_name(&check) && has_the_level(&check) && accepts_the_memory(&check) &&
           has_extensions(&check) && has_functions(&check, first->members, now->members);
}

static enum hy_code fail(const struct hy_hello_info *first, const struct hy_hello_info *now,
                         uint32_t device, const char *difference, struct hy_error *err)
{
    char was[HY_BUILD_TEXT_SIZE], is[HY_BUILD_TEXT_SIZE];

    hy_successor_describe_build(first, device, was);
    hy_successor_describe_build(now, device, is);
    return hy_fail(err, HY_UNAVAILABLE,
                   "%.48s is now an incompatible build, restart the app: %s (%s; was %s)",
                   first->devices[device].info.name, difference, is, was);
}

enum hy_code hy_successor_check(const struct hy_hello_info *first, const struct hy_hello_info *now,
                                struct hy_error *err)
{
    char difference[DIFFERENCE_SIZE];

    if (strcmp(first->driver, now->driver) != 0)
        return hy_fail(err, HY_UNAVAILABLE,
                       "the driver %.64s was replaced by the driver %.64s, restart the app",
                       first->driver, now->driver);
    if (now->device_count < first->device_count)
        return hy_fail(
            err, HY_UNAVAILABLE,
            "the driver %.64s is now an incompatible build, restart the app: %u devices, was %u",
            first->driver, now->device_count, first->device_count);
    if (now->abi < first->abi) {
        snprintf(difference, sizeof difference, "the driver ABI is %u.%u, was %u.%u",
                 HY_ABI_MAJOR(now->abi), HY_ABI_MINOR(now->abi), HY_ABI_MAJOR(first->abi),
                 HY_ABI_MINOR(first->abi));
        return fail(first, now, 0, difference, err);
    }
    for (uint32_t i = 0; i < first->device_count; i++) {
        if (!device_goes_on(&first->devices[i], &now->devices[i], difference))
            return fail(first, now, i, difference, err);
    }
    return HY_OK;
}
