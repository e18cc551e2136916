#include "cache_store/token.h"

#include "cache_store/model_identity.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* Changes with the fields below, so that tokens of different layouts are never equal. */
#define LAYOUT "halyard token 5"

/* Collects fields for the hash, which is faster with many bytes at once: most fields have few
 * bytes. */
struct fields {
    crypto_generichash_state hash;
    size_t used;
    uint8_t bytes[4096];
};

static void flush(struct fields *to)
{
    crypto_generichash_update(&to->hash, to->bytes, to->used);
    to->used = 0;
}

static void add_bytes(struct fields *to, const void *data, uint64_t length)
{
    if (length > sizeof to->bytes - to->used)
        flush(to);
    if (length > sizeof to->bytes) {
        crypto_generichash_update(&to->hash, data, length);
    } else if (length > 0) {
        memcpy(to->bytes + to->used, data, length);
        to->used += length;
    }
}

/* Integers are hashed in native byte order: a token never leaves the machine. */
static void add_field(struct fields *to, const void *data, uint64_t length)
{
    add_bytes(to, &length, sizeof length);
    add_bytes(to, data, length);
}

/* A long constant is replaced by its digest. */
static struct hy_bytes content_of(const struct hy_constant *constant)
{
    if (constant->length <= HY_CONSTANT_SHORT)
        return (struct hy_bytes){constant->bytes, constant->length};
    return (struct hy_bytes){constant->digest, sizeof constant->digest};
}

/* Adds length and content. */
static void add_constant(struct fields *to, const struct hy_constant *constant)
{
    struct {
        uint64_t length;
        uint8_t bytes[HY_CONSTANT_SHORT];
    } value = {.length = constant->length};
    const struct hy_bytes content = content_of(constant);

    static_assert(sizeof constant->digest <= sizeof value.bytes, "there is room for either");
    if (content.length > 0)
        memcpy(value.bytes, content.data, content.length);
    add_bytes(to, &value, sizeof value.length + content.length);
}

static void add_text(struct fields *to, const char *text)
{
    add_field(to, text, strlen(text));
}

static void add_u32(struct fields *to, uint32_t value)
{
    add_field(to, &value, sizeof value);
}

static void add_scales(struct fields *to, const struct hy_operand *operand)
{
    struct hy_constant scales = {.bytes = (const uint8_t *)operand->channel_scales,
                                 .length = (uint64_t)operand->channel_count *
                                           sizeof *operand->channel_scales};

    hy_constant_read(&scales);
    const struct hy_bytes content = content_of(&scales);
    add_bytes(to, content.data, content.length);
}

/* For an operand or an operation with an extension type. */
static void add_extension(struct fields *to, const struct hy_model *model, int32_t code)
{
    const char *name = hy_code_extension(model, code);

    add_text(to, name ? name : "");
}

/* A model with the remaining constants during a walk. */
struct walk {
    const struct hy_model *model;
    const struct hy_constant *next;
};

static void add_value(struct fields *to, struct walk *walk, const struct hy_operand *operand)
{
    switch (operand->lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
    case HY_LIFETIME_CONSTANT_POOL:
        add_constant(to, walk->next++);
        return;
    case HY_LIFETIME_SUBGRAPH:
        add_bytes(to, &operand->location.offset, sizeof operand->location.offset);
        return;
    default:
        return;
    }
}

/* The counts determine the lengths of all further fields, which therefore have no length: models
 * have hundreds of operands. */
static void add_operand(struct fields *to, struct walk *walk, const struct hy_operand *operand)
{
    const bool is_extension = hy_type_is_extension(operand->type);
    const struct hy_operand identity = hy_operand_identity(operand);
    const union hy_word numbers[] = {
        [1] = {.u32 = is_extension},
#define OPERAND_NUMBER(member, kind, token, architecture) [token] = {.kind = identity.member},
#include "common/model/model_fields.def"
    };

    add_bytes(to, numbers, sizeof numbers);
    if (operand->rank > 0)
        add_bytes(to, operand->dims, (uint64_t)operand->rank * sizeof *operand->dims);
    if (operand->channel_count > 0)
        add_scales(to, operand);
    if (is_extension) {
        add_extension(to, walk->model, operand->type);
        add_field(to, operand->extension_data, operand->extension_length);
    }
    add_value(to, walk, operand);
}

static void add_indices(struct fields *to, uint32_t count, const uint32_t *indices)
{
    add_bytes(to, indices, (uint64_t)count * sizeof *indices);
}

static void add_operation(struct fields *to, const struct hy_model *model,
                          const struct hy_operation *operation)
{
    const bool is_extension = hy_type_is_extension(operation->type);
    union hy_word numbers[] = {
        [1] = {.u32 = is_extension},
#define OPERATION_NUMBER(member, kind, token) [token] = {.kind = operation->member},
#include "common/model/model_fields.def"
    };

    numbers[0].i32 = hy_code_identity(operation->type);
    add_bytes(to, numbers, sizeof numbers);
    add_indices(to, operation->input_count, operation->inputs);
    add_indices(to, operation->output_count, operation->outputs);
    if (is_extension)
        add_extension(to, model, operation->type);
}

static void add_subgraph(struct fields *to, struct walk *walk, const struct hy_subgraph *graph)
{
    const uint32_t counts[] = {
#define SUBGRAPH(member) graph->member,
#include "common/model/model_fields.def"
    };

    add_bytes(to, counts, sizeof counts);
    for (uint32_t i = 0; i < graph->operand_count; i++)
        add_operand(to, walk, &graph->operands[i]);
    for (uint32_t i = 0; i < graph->operation_count; i++)
        add_operation(to, walk->model, &graph->operations[i]);
    add_indices(to, graph->input_count, graph->inputs);
    add_indices(to, graph->output_count, graph->outputs);
}

static enum hy_code add_model(struct fields *to, const struct hy_token_info *info,
                              struct hy_error *err)
{
    const struct hy_model *model = info->model;
    struct hy_constants constants;

    enum hy_code code = hy_constants_read(model, info->parallel_for, &constants, err);
    if (code != HY_OK)
        return code;
    struct walk walk = {.model = model, .next = constants.items};
    for (uint32_t i = 0; i <= model->referenced_count; i++)
        add_subgraph(to, &walk, hy_model_subgraph(model, i));
    hy_constants_finish(&constants);
    return HY_OK;
}

/* ---- Hints ----------------------------------------------------------------------------------- */

/* A hint with a persistent name: prefixes differ between processes. */
struct named_hint {
    const char *extension;
    uint32_t code;
    const struct hy_hint *hint;
};

static int compare(const void *left, const void *right)
{
    const struct named_hint *a = left, *b = right;
    const int names = strcmp(a->extension, b->extension);

    return names ? names : (a->code > b->code) - (a->code < b->code);
}

static enum hy_code name_hints(const struct hy_token_info *info, struct named_hint *named,
                               struct hy_error *err)
{
    for (uint32_t i = 0; i < info->hint_count; i++) {
        const struct hy_hint *hint = &info->hints[i];
        named[i] = (struct named_hint){
            .extension = hy_prefix_name(info->prefixes, info->prefix_count, hint->token >> 16),
            .code = hint->token & 0xffffu,
            .hint = hint};
        if (!named[i].extension)
            return hy_fail(err, HY_BAD_DATA, "hint %u: prefix %u has no name", i,
                           hint->token >> 16);
    }
    return HY_OK;
}

static enum hy_code add_hints(struct fields *to, const struct hy_token_info *info,
                              struct hy_error *err)
{
    if (info->hint_count == 0)
        return HY_OK;
    struct named_hint *named = calloc(info->hint_count, sizeof *named);
    if (!named)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u hints", info->hint_count);

    enum hy_code code = name_hints(info, named, err);
    if (code == HY_OK) {
        qsort(named, info->hint_count, sizeof *named, compare);
        for (uint32_t i = 0; i < info->hint_count; i++) {
            add_text(to, named[i].extension);
            add_u32(to, named[i].code);
            add_field(to, named[i].hint->data, named[i].hint->length);
        }
    }
    free(named);
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------- */

enum hy_code hy_token_make(const struct hy_token_info *info, uint8_t token[HY_TOKEN_SIZE],
                           struct hy_error *err)
{
    static_assert(HY_TOKEN_SIZE == crypto_generichash_BYTES, "a token is one BLAKE2b-256");
    const uint32_t numbers[] = {
        info->abi,        (uint32_t)info->preference, (uint32_t)info->priority,
        info->hint_count, info->model->relaxed_float, info->model->referenced_count,
    };
    struct fields to;

    if (sodium_init() < 0 || crypto_generichash_init(&to.hash, NULL, 0, HY_TOKEN_SIZE) != 0)
        return hy_fail(err, HY_FAILED, "libsodium cannot be started");

    to.used = 0;
    add_text(&to, LAYOUT);
    add_field(&to, info->app_token, info->app_token ? HY_TOKEN_SIZE : 0);
    add_text(&to, info->device_name);
    add_text(&to, info->device_version);
    add_text(&to, info->build_id);
    add_text(&to, info->cpu_features);
    add_field(&to, numbers, sizeof numbers);
    enum hy_code code = add_hints(&to, info, err);
    if (code == HY_OK)
        code = add_model(&to, info, err);
    if (code == HY_OK) {
        flush(&to);
        crypto_generichash_final(&to.hash, token, HY_TOKEN_SIZE);
    }
    return code;
}
