#include "plugins/service/client/saved_options.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_files(struct hy_saved_options *saved)
{
    for (uint32_t i = 0; i < saved->file_count; i++)
        close(saved->files[i]);
    saved->file_count = 0;
}

static void duplicate(struct hy_saved_options *saved, const int32_t *files, uint32_t count,
                      bool *is_whole)
{
    for (uint32_t i = 0; i < count && *is_whole; i++) {
        const int copy = fcntl(files[i], F_DUPFD_CLOEXEC, 0);
        *is_whole = copy >= 0;
        if (copy >= 0)
            saved->files[saved->file_count++] = copy;
    }
}

static bool save_files(struct hy_saved_options *saved, const struct hy_prepare_options *from)
{
    struct hy_prepare_options *options = &saved->options;
    const size_t count = (size_t)from->model_cache_count + from->data_cache_count;
    bool is_whole = true;

    saved->files = hy_arena_alloc(&saved->arena, count * sizeof *saved->files);
    if (!saved->files)
        return false;
    duplicate(saved, from->model_cache, from->model_cache_count, &is_whole);
    duplicate(saved, from->data_cache, from->data_cache_count, &is_whole);
    if (!is_whole) {
        close_files(saved);
        options->model_cache_count = options->data_cache_count = 0;
    }
    options->model_cache = saved->files;
    options->data_cache = saved->files + options->model_cache_count;
    return true;
}

static bool save_hints(struct hy_saved_options *saved, const struct hy_prepare_options *from)
{
    struct hy_hint *hints =
        hy_arena_copy(&saved->arena, from->hints, from->hint_count, sizeof *hints);

    for (uint32_t i = 0; hints && i < from->hint_count; i++) {
        hints[i].data = hy_arena_copy(&saved->arena, hints[i].data, hints[i].length, 1);
        if (!hints[i].data)
            return false;
    }
    saved->options.hints = hints;
    return hints != NULL;
}

static bool save_extensions(struct hy_saved_options *saved, const struct hy_prepare_options *from)
{
    struct hy_extension_prefix *prefixes =
        hy_arena_copy(&saved->arena, from->extensions, from->extension_count, sizeof *prefixes);

    for (uint32_t i = 0; prefixes && i < from->extension_count; i++) {
        prefixes[i].name =
            hy_arena_copy(&saved->arena, prefixes[i].name, strlen(prefixes[i].name) + 1, 1);
        if (!prefixes[i].name)
            return false;
    }
    saved->options.extensions = prefixes;
    return prefixes != NULL;
}

static bool save_token(struct hy_saved_options *saved, const struct hy_prepare_options *from)
{
    if (!from->token)
        return true;
    saved->options.token = hy_arena_copy(&saved->arena, from->token, HY_TOKEN_SIZE, 1);
    return saved->options.token != NULL;
}

enum hy_code hy_saved_options_create(const struct hy_prepare_options *options,
                                     struct hy_saved_options **ret, struct hy_error *err)
{
    struct hy_saved_options *saved = calloc(1, sizeof *saved);
    if (!saved)
        return hy_fail(err, HY_OUT_OF_MEMORY, "copy of options");

    saved->options.struct_size = sizeof saved->options;
    hy_fill(&saved->options, options);
    saved->options.cancelled = NULL; /* belongs to a call that has ended by then */
    saved->options.deadline = HY_NO_DEADLINE;
    saved->options.message = (struct hy_message){0};
    if (!save_hints(saved, options) || !save_extensions(saved, options) ||
        !save_token(saved, options) || !save_files(saved, options)) {
        hy_saved_options_destroy(saved);
        return hy_fail(err, HY_OUT_OF_MEMORY, "copy of options");
    }
    *ret = saved;
    return HY_OK;
}

void hy_saved_options_destroy(struct hy_saved_options *saved)
{
    if (!saved)
        return;
    close_files(saved);
    hy_arena_finish(&saved->arena);
    free(saved);
}
