#include "plugins/service/wire/options.h"

/* ---- Hints ----------------------------------------------------------------------------------- */

struct hint_record {
    uint32_t token;
    uint32_t length;
};

static void pack_hints(struct hy_pack *out, const struct hy_hint *hints, uint32_t count)
{
    for (uint32_t i = 0; i < count && out->code == HY_OK; i++) {
        const struct hint_record record = {.token = hints[i].token, .length = hints[i].length};
        hy_pack_copy(out, &record, 1, sizeof record);
        hy_pack_copy(out, hints[i].data, hints[i].length, 1);
    }
}

static const struct hy_hint *unpack_hints(struct hy_unpack *in, uint32_t count)
{
    struct hy_hint *hints = hy_unpack_reserve(in, count, sizeof *hints, sizeof(struct hint_record));

    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++) {
        const struct hint_record *record = hy_unpack_records(in, 1, sizeof *record);
        if (!record)
            break;
        hints[i].token = record->token;
        hints[i].length = record->length;
        hints[i].data = hy_unpack_records(in, record->length, 1);
    }
    return hints;
}

/* ---- Prefixes -------------------------------------------------------------------------------- */

struct prefix_record {
    uint32_t prefix;
    uint32_t reserved;
};

void hy_prefixes_pack(struct hy_pack *out, const struct hy_extension_prefix *prefixes,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count && out->code == HY_OK; i++) {
        const struct prefix_record record = {.prefix = prefixes[i].prefix};
        hy_pack_copy(out, &record, 1, sizeof record);
        hy_pack_text(out, prefixes[i].name);
    }
}

const struct hy_extension_prefix *hy_prefixes_unpack(struct hy_unpack *in, uint32_t count)
{
    struct hy_extension_prefix *prefixes =
        hy_unpack_reserve(in, count, sizeof *prefixes, sizeof(struct prefix_record) + 8);

    for (uint32_t i = 0; i < count && hy_unpack_good(in); i++) {
        const struct prefix_record *record = hy_unpack_records(in, 1, sizeof *record);
        prefixes[i].prefix = record ? record->prefix : 0;
        prefixes[i].name = hy_unpack_text(in);
    }
    return prefixes;
}

/* ---- Preparing ------------------------------------------------------------------------------- */

struct prepare_record {
    int32_t preference;
    int32_t priority;
    int64_t deadline;
    uint32_t hint_count;
    uint32_t extension_count;
    uint32_t model_cache_count;
    uint32_t data_cache_count;
    uint32_t has_token;
    uint32_t reserved;
};

static void pack_files(struct hy_pack *out, const int32_t *fds, uint32_t count)
{
    for (uint32_t i = 0; i < count && out->code == HY_OK; i++)
        hy_pack_fd(out, fds[i]);
}

void hy_prepare_options_pack(struct hy_pack *out, const struct hy_prepare_options *options)
{
    const struct prepare_record record = {.preference = options->preference,
                                          .priority = options->priority,
                                          .deadline = options->deadline,
                                          .hint_count = options->hint_count,
                                          .extension_count = options->extension_count,
                                          .model_cache_count = options->model_cache_count,
                                          .data_cache_count = options->data_cache_count,
                                          .has_token = options->token != NULL};

    hy_pack_copy(out, &record, 1, sizeof record);
    if (options->token)
        hy_pack_copy(out, options->token, 1, HY_TOKEN_SIZE);
    pack_hints(out, options->hints, options->hint_count);
    hy_prefixes_pack(out, options->extensions, options->extension_count);
    pack_files(out, options->model_cache, options->model_cache_count);
    pack_files(out, options->data_cache, options->data_cache_count);
}

static void check_prepare(struct hy_unpack *in, const struct prepare_record *record)
{
    if (record->deadline < HY_NO_DEADLINE)
        hy_unpack_fail(in, "deadline %lld", (long long)record->deadline);
    if (record->preference < HY_PREFER_LOW_POWER || record->preference > HY_PREFER_SUSTAINED_SPEED)
        hy_unpack_fail(in, "preference %d", record->preference);
    if (record->priority < HY_PRIORITY_LOW || record->priority > HY_PRIORITY_HIGH)
        hy_unpack_fail(in, "priority %d", record->priority);
    if (record->has_token > 1)
        hy_unpack_fail(in, "%u tokens", record->has_token);
    if (record->model_cache_count > HY_MAX_CACHE_FILES ||
        record->data_cache_count > HY_MAX_CACHE_FILES)
        hy_unpack_fail(in, "%u model and %u data cache files, at most %u each are allowed",
                       record->model_cache_count, record->data_cache_count, HY_MAX_CACHE_FILES);
}

void hy_prepare_options_unpack(struct hy_unpack *in, struct hy_prepare_options *options)
{
    const struct prepare_record *record = hy_unpack_records(in, 1, sizeof *record);
    if (!record)
        return;
    check_prepare(in, record);

    const uint8_t *token = hy_unpack_records(in, record->has_token, HY_TOKEN_SIZE);
    const struct hy_hint *hints = unpack_hints(in, record->hint_count);
    const struct hy_extension_prefix *extensions = hy_prefixes_unpack(in, record->extension_count);
    const int32_t *model_cache = hy_unpack_fds(in, record->model_cache_count);
    const int32_t *data_cache = hy_unpack_fds(in, record->data_cache_count);
    if (hy_unpack_good(in))
        *options = (struct hy_prepare_options){.struct_size = sizeof *options,
                                               .preference = record->preference,
                                               .priority = record->priority,
                                               .hint_count = record->hint_count,
                                               .deadline = record->deadline,
                                               .hints = hints,
                                               .model_cache = model_cache,
                                               .data_cache = data_cache,
                                               .model_cache_count = record->model_cache_count,
                                               .data_cache_count = record->data_cache_count,
                                               .token = token,
                                               .extensions = extensions,
                                               .extension_count = record->extension_count};
}

/* ---- Running --------------------------------------------------------------------------------- */

struct run_record {
    uint32_t measure;
    uint32_t hint_count;
    int64_t deadline;
    uint64_t loop_timeout;
    uint64_t duration;
};

void hy_run_options_pack(struct hy_pack *out, const struct hy_run_options *options)
{
    const struct run_record record = {.measure = options->measure,
                                      .hint_count = options->hint_count,
                                      .deadline = options->deadline,
                                      .loop_timeout = options->loop_timeout,
                                      .duration = options->duration};

    hy_pack_copy(out, &record, 1, sizeof record);
    pack_hints(out, options->hints, options->hint_count);
}

void hy_run_options_unpack(struct hy_unpack *in, struct hy_run_options *options)
{
    const struct run_record *record = hy_unpack_records(in, 1, sizeof *record);
    if (!record)
        return;
    if (record->deadline < HY_NO_DEADLINE)
        hy_unpack_fail(in, "deadline %lld", (long long)record->deadline);
    if (record->measure > 1)
        hy_unpack_fail(in, "measure is %u", record->measure);

    const struct hy_hint *hints = unpack_hints(in, record->hint_count);
    if (hy_unpack_good(in))
        *options = (struct hy_run_options){.struct_size = sizeof *options,
                                           .measure = record->measure,
                                           .deadline = record->deadline,
                                           .loop_timeout = record->loop_timeout,
                                           .duration = record->duration,
                                           .hints = hints,
                                           .hint_count = record->hint_count};
}
