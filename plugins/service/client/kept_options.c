#include "plugins/service/client/kept_options.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_files(struct hy_kept_options *kept)
{
    for (uint32_t i = 0; i < kept->file_count; i++)
        close(kept->files[i]);
    kept->file_count = 0;
}

static void duplicate(struct hy_kept_options *kept, const int32_t *files, uint32_t count,
                      bool *is_whole)
{
    for (uint32_t i = 0; i < count && *is_whole; i++) {
        const int copy = fcntl(files[i], F_DUPFD_CLOEXEC, 0);
        *is_whole = copy >= 0;
        if (copy >= 0)
            kept->files[kept->file_count++] = copy;
    }
}

static bool keep_files(struct hy_kept_options *kept, const struct hy_prepare_options *from)
{
    struct hy_prepare_options *options = &kept->options;
    const size_t count = (size_t)from->model_cache_count + from->data_cache_count;
    bool is_whole = true;

    kept->files = hy_arena_alloc(&kept->arena, count * sizeof *kept->files);
    if (!kept->files)
        return false;
    duplicate(kept, from->model_cache, from->model_cache_count, &is_whole);
    duplicate(kept, from->data_cache, from->data_cache_count, &is_whole);
    if (!is_whole) {
        close_files(kept);
        options->model_cache_count = options->data_cache_count = 0;
    }
    options->model_cache = kept->files;
    options->data_cache = kept->files + options->model_cache_count;
    return true;
}

static bool keep_hints(struct hy_kept_options *kept, const struct hy_prepare_options *from)
{
    struct hy_hint *hints =
        hy_arena_copy(&kept->arena, from->hints, from->hint_count, sizeof *hints);

    for (uint32_t i = 0; hints && i < from->hint_count; i++) {
        hints[i].data = hy_arena_copy(&kept->arena, hints[i].data, hints[i].length, 1);
        if (!hints[i].data)
            return false;
    }
    kept->options.hints = hints;
    return hints != NULL;
}

static bool keep_extensions(struct hy_kept_options *kept, const struct hy_prepare_options *from)
{
    struct hy_extension_prefix *prefixes =
        hy_arena_copy(&kept->arena, from->extensions, from->extension_count, sizeof *prefixes);

    for (uint32_t i = 0; prefixes && i < from->extension_count; i++) {
        prefixes[i].name =
            hy_arena_copy(&kept->arena, prefixes[i].name, strlen(prefixes[i].name) + 1, 1);
        if (!prefixes[i].name)
            return false;
    }
    kept->options.extensions = prefixes;
    return prefixes != NULL;
}

static bool keep_token(struct hy_kept_options *kept, const struct hy_prepare_options *from)
{
    if (!from->token)
        return true;
    kept->options.token = hy_arena_copy(&kept->arena, from->token, HY_TOKEN_SIZE, 1);
    return kept->options.token != NULL;
}

enum hy_code hy_kept_options_create(const struct hy_prepare_options *options,
                                    struct hy_kept_options **ret, struct hy_error *err)
{
    struct hy_kept_options *kept = calloc(1, sizeof *kept);
    if (!kept)
        return hy_fail(err, HY_OUT_OF_MEMORY, "copy of options");

    kept->options.struct_size = sizeof kept->options;
    hy_fill(&kept->options, options);
    kept->options.cancelled = NULL; /* belongs to a call that has ended by then */
    kept->options.deadline = HY_NO_DEADLINE;
    kept->options.message = (struct hy_message){0};
    if (!keep_hints(kept, options) || !keep_extensions(kept, options) ||
        !keep_token(kept, options) || !keep_files(kept, options)) {
        hy_kept_options_destroy(kept);
        return hy_fail(err, HY_OUT_OF_MEMORY, "copy of options");
    }
    *ret = kept;
    return HY_OK;
}

void hy_kept_options_destroy(struct hy_kept_options *kept)
{
    if (!kept)
        return;
    close_files(kept);
    hy_arena_finish(&kept->arena);
    free(kept);
}
