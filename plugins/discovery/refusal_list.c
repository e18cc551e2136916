#include "plugins/discovery/refusal_list.h"

#include "common/array.h"
#include "common/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 1024

static char *copy_line(const char *text)
{
    char *copy = strdup(text);
    if (copy)
        hy_text_clean(copy);
    return copy;
}

void hy_plugins_log(const struct hy_host *host, int32_t level, const char *path, const char *format,
                    ...)
{
    char line[LINE_SIZE];
    int used = snprintf(line, sizeof line, "%s: ", path);
    if (used >= 0 && (size_t)used < sizeof line) {
        va_list args;
        va_start(args, format);
        vsnprintf(line + used, sizeof line - (size_t)used, format, args);
        va_end(args);
    }
    hy_text_clean(line);
    host->log(host->context, level, line);
}

enum hy_code hy_refusal_list_add(struct hy_refusal_list *list, int32_t level, const char *manifest,
                                 const char *reason, struct hy_error *err)
{
    struct hy_plugin_refusal *items = hy_array_grow(list->items, list->count, sizeof *items);
    if (!items)
        return hy_fail(err, HY_OUT_OF_MEMORY, "refusal %u", list->count);
    list->items = items;

    char *manifest_copy = copy_line(manifest);
    char *reason_copy = copy_line(reason);
    if (!manifest_copy || !reason_copy) {
        free(manifest_copy);
        free(reason_copy);
        return hy_fail(err, HY_OUT_OF_MEMORY, "refusal %u", list->count);
    }
    items[list->count++] =
        (struct hy_plugin_refusal){.manifest = manifest_copy, .reason = reason_copy};
    hy_plugins_log(list->host, level, manifest, "%s", reason);
    return HY_OK;
}

enum hy_code hy_refusal_list_absorb(struct hy_refusal_list *list, const char *manifest,
                                    const struct hy_error *failure, struct hy_error *err)
{
    if (failure->code == HY_OUT_OF_MEMORY || failure->code == HY_EXHAUSTED)
        return hy_fail(err, failure->code, "%s", failure->text);
    return hy_refusal_list_add(list, HY_LOG_WARNING, manifest, failure->text, err);
}

void hy_refusal_list_finish(struct hy_refusal_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free((char *)list->items[i].manifest);
        free((char *)list->items[i].reason);
    }
    free(list->items);
    list->items = NULL;
    list->count = 0;
}
