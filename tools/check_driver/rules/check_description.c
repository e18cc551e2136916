/* The description of a device: D4 to D9. */
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "common/built_in_names.h"
#include "common/operations/operand_type.h"
#include "tools/check_driver/rules/check.h"

#define TYPE_MODEL 15

/* ---- Texts and numbers ----------------------------------------------------------------------- */

static void check_text(struct hy_check *check, const char *name, const char *text,
                       bool may_be_empty)
{
    struct hy_result_page *page = check->page;
    if (!text) {
        hy_result_page_report(page, HY_RULE_D5, "%s is NULL", name);
        return;
    }
    const size_t length = strnlen(text, HY_MAX_TEXT + 1);
    if (length > HY_MAX_TEXT || (length == 0 && !may_be_empty)) {
        hy_result_page_report(page, HY_RULE_D5, "%s is %s", name,
                              length ? "longer than 255 bytes" : "empty");
        return;
    }
    for (const char *const *built_in = hy_built_in_names(); *built_in; built_in++)
        if (strcmp(name, "name") == 0 && strcmp(text, *built_in) == 0)
            hy_result_page_report(page, HY_RULE_D5, "name is %s, the name of a built-in device",
                                  text);
    for (size_t i = 0; i < length; i++)
        if (iscntrl((unsigned char)text[i])) {
            hy_result_page_report(page, HY_RULE_D5, "%s has a control character", name);
            return;
        }
}

static void check_pool_kinds(struct hy_result_page *page, uint32_t kinds)
{
    const uint32_t duties =
        1u << HY_POOL_ASHMEM | 1u << HY_POOL_MMAP_FD | 1u << HY_POOL_HARDWARE_BUFFER_BLOB;
    const uint32_t known = duties | 1u << HY_POOL_HOST | 1u << HY_POOL_HARDWARE_BUFFER;
    if (kinds != 0 && ((kinds & duties) != duties || (kinds & ~known)))
        hy_result_page_report(page, HY_RULE_D6, "pool_kinds is 0x%x, needs 0x%x and at most 0x%x",
                              kinds, duties, known);
}

static void check_numbers(struct hy_check *check, const struct hy_device_info *info)
{
    struct hy_result_page *page = check->page;
    if (info->type < HY_DEVICE_OTHER || info->type > HY_DEVICE_ACCELERATOR)
        hy_result_page_report(page, HY_RULE_D6, "type is %d, needs %d to %d", info->type,
                              HY_DEVICE_OTHER, HY_DEVICE_ACCELERATOR);
    if (info->feature_level < 1 || info->feature_level > 8)
        hy_result_page_report(page, HY_RULE_D6, "feature_level is %u, needs 1 to 8",
                              info->feature_level);
    if (info->model_cache_files > HY_MAX_CACHE_FILES || info->data_cache_files > HY_MAX_CACHE_FILES)
        hy_result_page_report(page, HY_RULE_D6,
                              "%u model and %u data cache files, at most %u are allowed",
                              info->model_cache_files, info->data_cache_files, HY_MAX_CACHE_FILES);
    check_pool_kinds(page, info->pool_kinds);
    hy_result_page_pass(page, HY_RULE_D6);
}

/* What the types of Halyard's own extension are is known. */
static void check_own_type(struct hy_result_page *page,
                           const struct hy_extension_operand_type *type)
{
    const struct hy_operand_type_info *info = hy_operand_type_info(HY_OPERATIONS_CODE(type->code));

    if (info && (info->element_bytes != type->byte_size || info->is_scalar == type->is_tensor))
        hy_result_page_report(page, HY_RULE_D7, "%s: byte_size %u, is_tensor %u", info->name,
                              type->byte_size, type->is_tensor);
}

static void check_extension(struct hy_check *check, const struct hy_extension *extension)
{
    struct hy_result_page *page = check->page;
    const char *name = extension->name;
    if (!name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._")] ||
        !strchr(name, '.')) {
        hy_result_page_report(
            page, HY_RULE_D7,
            "extension \"%.64s\": a name has lower-case letters, digits, '_' and a '.'",
            name ? name : "(NULL)");
        return;
    }
    if (extension->operand_type_count > 0 && !extension->operand_types) {
        hy_result_page_report(page, HY_RULE_D7, "extension %s: %u operand types at NULL", name,
                              extension->operand_type_count);
        return;
    }
    for (uint32_t i = 0; i < extension->operand_type_count; i++) {
        const struct hy_extension_operand_type *type = &extension->operand_types[i];
        if (type->byte_size == 0 || type->is_tensor > 1)
            hy_result_page_report(page, HY_RULE_D7,
                                  "extension %s: type %u: byte_size %u, is_tensor %u", name,
                                  type->code, type->byte_size, type->is_tensor);
        if (strcmp(name, HALYARD_OPERATIONS_NAME) == 0)
            check_own_type(page, type);
        for (uint32_t k = 0; k < i; k++)
            if (extension->operand_types[k].code == type->code)
                hy_result_page_report(page, HY_RULE_D7, "extension %s: type %u is listed twice",
                                      name, type->code);
    }
}

/* The device declares whether it is partial; its replies show the supported parts. */
static void check_part(struct hy_result_page *page, const struct hy_device_info *info,
                       uint32_t index)
{
    if (info->partial_extensions && info->partial_extensions[index] > 1)
        hy_result_page_report(page, HY_RULE_D7,
                              "extension %s: partial_extensions has %u, needs 0 or 1",
                              info->extensions[index].name, info->partial_extensions[index]);
}

static void check_extensions(struct hy_check *check, const struct hy_device_info *info)
{
    struct hy_result_page *page = check->page;
    hy_result_page_step(page, HY_RULE_D7, "reading the extensions");
    if (info->extension_count > HY_MAX_EXTENSIONS || (info->extension_count && !info->extensions)) {
        hy_result_page_report(page, HY_RULE_D7, "%u extensions at %p", info->extension_count,
                              (const void *)info->extensions);
        return;
    }
    for (uint32_t i = 0; i < info->extension_count; i++) {
        check_extension(check, &info->extensions[i]);
        check_part(page, info, i);
        for (uint32_t k = 0; k < i && !hy_result_page_has_finding(page, HY_RULE_D7); k++)
            if (strcmp(info->extensions[k].name, info->extensions[i].name) == 0)
                hy_result_page_report(page, HY_RULE_D7, "extension %s is listed twice",
                                      info->extensions[i].name);
    }
    hy_result_page_pass(page, HY_RULE_D7);
}

/* ---- The figures ----------------------------------------------------------------------------- */

static void check_figure(struct hy_check *check, const char *name,
                         const struct hy_performance *figure)
{
    if (!(isfinite(figure->exec_time) && figure->exec_time > 0 && isfinite(figure->power_usage) &&
          figure->power_usage > 0))
        hy_result_page_report(check->page, HY_RULE_D8, "%s: exec_time %g, power_usage %g", name,
                              (double)figure->exec_time, (double)figure->power_usage);
}

static void check_figures(struct hy_check *check, const struct hy_capabilities *reported)
{
    struct hy_result_page *page = check->page;
    hy_result_page_step(page, HY_RULE_D8, "reading the figures");
    check_figure(check, "relaxed_scalar", &reported->relaxed_scalar);
    check_figure(check, "relaxed_tensor", &reported->relaxed_tensor);
    check_figure(check, "if_overhead", &reported->if_overhead);
    check_figure(check, "while_overhead", &reported->while_overhead);
    if (reported->operand_count > HY_MAX_FIGURES ||
        (reported->operand_count && !reported->operands)) {
        hy_result_page_report(page, HY_RULE_D8, "%u operand types at %p", reported->operand_count,
                              (const void *)reported->operands);
        return;
    }
    for (uint32_t i = 0; i < reported->operand_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "operand type %d", reported->operands[i].type);
        check_figure(check, name, &reported->operands[i].performance);
        if (reported->operands[i].type < 0 || reported->operands[i].type == TYPE_MODEL ||
            (i > 0 && reported->operands[i].type <= reported->operands[i - 1].type))
            hy_result_page_report(page, HY_RULE_D8,
                                  "%s is out of order, or cannot have performance figures", name);
    }
    hy_result_page_pass(page, HY_RULE_D8);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Both replies, in memory that ends exactly at their capacity. */
struct descriptions {
    struct hy_memory memory[2];
    struct hy_device_info *info;
    struct hy_capabilities *capabilities;
    int32_t status[2];
};

static void *capacity(struct hy_memory *memory, size_t size)
{
    struct hy_error err;
    return hy_memory_create(HY_POOL_HOST, size, memory, &err) == HY_OK
               ? memory->bytes + memory->size - size
               : NULL;
}

static bool ask(struct hy_check *check, struct descriptions *descriptions)
{
    *descriptions = (struct descriptions){0};
    descriptions->info = capacity(&descriptions->memory[0], sizeof *descriptions->info);
    descriptions->capabilities =
        capacity(&descriptions->memory[1], sizeof *descriptions->capabilities);
    if (!descriptions->info || !descriptions->capabilities)
        return false;
    descriptions->info->struct_size = sizeof *descriptions->info;
    descriptions->capabilities->struct_size = sizeof *descriptions->capabilities;
    descriptions->status[0] = check->table.describe(check->device, descriptions->info);
    descriptions->status[1] = check->table.capabilities(check->device, descriptions->capabilities);
    return true;
}

static bool check_descriptions(struct hy_check *check, const struct descriptions *descriptions)
{
    struct hy_result_page *page = check->page;
    const uint32_t sizes[] = {descriptions->info->struct_size,
                              descriptions->capabilities->struct_size};
    const size_t capacities[] = {sizeof *descriptions->info, sizeof *descriptions->capabilities};
    /* the members of older drivers */
    const size_t least[] = {offsetof(struct hy_device_info, pool_kinds), capacities[1]};
    static const char *const names[] = {"describe", "capabilities"};
    for (int i = 0; i < 2; i++) {
        if (descriptions->status[i] != HY_STATUS_OK)
            hy_result_page_report(page, HY_RULE_D4, "%s failed with %s", names[i],
                                  hy_status_text(descriptions->status[i]));
        else if (sizes[i] < least[i] || sizes[i] > capacities[i])
            hy_result_page_report(page, HY_RULE_D4, "%s set struct_size to %u, the space is %zu",
                                  names[i], sizes[i], capacities[i]);
    }
    hy_result_page_pass(page, HY_RULE_D4);
    return !hy_result_page_has_finding(page, HY_RULE_D4);
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool is_same(const struct descriptions *a, const struct descriptions *b)
{
    const struct hy_capabilities *one = a->capabilities, *other = b->capabilities;
    return same_text(a->info->name, b->info->name) &&
           same_text(a->info->version, b->info->version) &&
           same_text(a->info->build_id, b->info->build_id) && a->info->type == b->info->type &&
           a->info->feature_level == b->info->feature_level &&
           a->info->model_cache_files == b->info->model_cache_files &&
           a->info->data_cache_files == b->info->data_cache_files &&
           a->info->extension_count == b->info->extension_count &&
           a->info->pool_kinds == b->info->pool_kinds &&
           one->operand_count == other->operand_count && one->launch_ns == other->launch_ns &&
           one->bytes_per_second == other->bytes_per_second &&
           /* By their bits. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
           memcmp(&one->relaxed_scalar, &other->relaxed_scalar, 4 * sizeof one->relaxed_scalar) ==
               0 &&
           (one->operand_count == 0 || memcmp(one->operands, other->operands,
                                              one->operand_count * sizeof *one->operands) == 0);
}

struct asker {
    struct hy_check *check;
    struct descriptions descriptions;
};

static void *ask_there(void *argument)
{
    struct asker *asker = argument;
    ask(asker->check, &asker->descriptions);
    return NULL;
}

/* Compares with a copy of the first reply, because the driver may change the referenced memory. */
static void check_constancy(struct hy_check *check, const struct descriptions *before)
{
    struct hy_result_page *page = check->page;
    struct asker asker = {.check = check};
    pthread_t thread;
    hy_result_page_step(page, HY_RULE_D9, "describe and capabilities again, from another thread");
    if (pthread_create(&thread, NULL, ask_there, &asker) != 0)
        return;
    pthread_join(thread, NULL);
    struct descriptions again;
    if (!ask(check, &again))
        return;
    if (!is_same(before, &again) || !is_same(before, &asker.descriptions))
        hy_result_page_report(page, HY_RULE_D9,
                              "the results of describe or capabilities have changed");
    hy_result_page_pass(page, HY_RULE_D9);
}

static void check_contents(struct hy_check *check, const struct descriptions *descriptions)
{
    struct hy_result_page *page = check->page;
    const struct hy_device_info *info = descriptions->info;
    hy_result_page_step(page, HY_RULE_D5, "reading the description");
    check_text(check, "name", info->name, false);
    check_text(check, "version", info->version, false);
    check_text(check, "build_id", info->build_id, true);
    if (hy_result_page_has_finding(page, HY_RULE_D5))
        return;
    hy_result_page_pass(page, HY_RULE_D5);
    snprintf(page->device_name, sizeof page->device_name, "%s", info->name);
    check_numbers(check, info);
    check_extensions(check, info);
    check_figures(check, descriptions->capabilities);
}

void hy_check_description(struct hy_check *check)
{
    struct hy_result_page *page = check->page;
    struct descriptions descriptions;
    hy_result_page_step(page, HY_RULE_D4, "describe and capabilities");
    if (!ask(check, &descriptions) || !check_descriptions(check, &descriptions))
        return;
    check_contents(check, &descriptions);
    if (!hy_result_page_has_finding(page, HY_RULE_D5) &&
        !hy_result_page_has_finding(page, HY_RULE_D8))
        check_constancy(check, &descriptions);
}
