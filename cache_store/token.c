#include "cache_store/token.h"

#include "common/operand_type.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* Changes whenever the fields below do, so that tokens of two layouts never meet. */
#define LAYOUT "halyard token 4"

/* Fields on their way into the hash, which takes many at once: most are of a few bytes. */
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

/* Integers are hashed as the machine holds them: a token never leaves it. */
static void add_field(struct fields *to, const void *data, uint64_t length)
{
    add_bytes(to, &length, sizeof length);
    add_bytes(to, data, length);
}

/* Of what is long, the digest is in its place. */
static void add_content(struct fields *to, const struct hy_constant *constant)
{
    if (constant->length <= HY_CONSTANT_SHORT)
        add_bytes(to, constant->bytes, constant->length);
    else
        add_bytes(to, constant->digest, sizeof constant->digest);
}

static void add_text(struct fields *to, const char *text)
{
    add_field(to, text, strlen(text));
}

static void add_u32(struct fields *to, uint32_t value)
{
    add_field(to, &value, sizeof value);
}

/* A code of an extension counts by the extension's name, since prefixes differ from run to run. */
static int32_t plain_code(int32_t code)
{
    return hy_type_is_extension(code) ? code & 0xffff : code;
}

static const char *extension_name(const struct hy_model *model, int32_t code)
{
    const uint32_t prefix = (uint32_t)code >> 16;

    for (uint32_t i = 0; i < model->extension_count; i++) {
        if (model->extensions[i].prefix == prefix)
            return model->extensions[i].name;
    }
    return "";
}

/* What there is of every operand and operation: it tells how long all the rest is, which has no
 * lengths of its own then. Models have hundreds of them. */
struct operand_numbers {
    int32_t type;
    uint32_t is_extension;
    int32_t lifetime;
    float scale;
    int32_t zero_point;
    uint32_t channel_dim;
    uint32_t rank;
    uint32_t channel_count;
};

struct operation_numbers {
    int32_t type;
    uint32_t is_extension;
    uint32_t input_count;
    uint32_t output_count;
};

static_assert(sizeof(struct operand_numbers) == 32, "no holes");
static_assert(sizeof(struct operation_numbers) == 16, "no holes");

static void add_scales(struct fields *to, const struct hy_operand *operand)
{
    struct hy_constant scales = {.bytes = (const uint8_t *)operand->channel_scales,
                                 .length = (uint64_t)operand->channel_count *
                                           sizeof *operand->channel_scales};

    hy_constant_read(&scales);
    add_content(to, &scales);
}

/* A model, and what is left of its constants while it is walked through. */
struct walk {
    const struct hy_model *model;
    const struct hy_constant *next;
};

static void add_value(struct fields *to, struct walk *walk, const struct hy_operand *operand)
{
    switch (operand->lifetime) {
    case HY_LIFETIME_CONSTANT_COPY:
    case HY_LIFETIME_CONSTANT_POOL:
        add_bytes(to, &walk->next->length, sizeof walk->next->length);
        add_content(to, walk->next++);
        return;
    case HY_LIFETIME_SUBGRAPH:
        add_bytes(to, &operand->location.offset, sizeof operand->location.offset);
        return;
    default:
        return;
    }
}

static void add_operand(struct fields *to, struct walk *walk, const struct hy_operand *operand)
{
    const bool is_extension = hy_type_is_extension(operand->type);
    /* Both kinds of constant are the same to a driver's result. */
    const int32_t lifetime = operand->lifetime == HY_LIFETIME_CONSTANT_POOL
                                 ? HY_LIFETIME_CONSTANT_COPY
                                 : operand->lifetime;
    const struct operand_numbers numbers = {.type = plain_code(operand->type),
                                            .is_extension = is_extension,
                                            .lifetime = lifetime,
                                            .scale = operand->scale,
                                            .zero_point = operand->zero_point,
                                            .channel_dim = operand->channel_dim,
                                            .rank = operand->rank,
                                            .channel_count = operand->channel_count};

    add_bytes(to, &numbers, sizeof numbers);
    add_bytes(to, operand->dims, (uint64_t)operand->rank * sizeof *operand->dims);
    add_scales(to, operand);
    if (is_extension) {
        add_text(to, extension_name(walk->model, operand->type));
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
    const struct operation_numbers numbers = {.type = plain_code(operation->type),
                                              .is_extension = hy_type_is_extension(operation->type),
                                              .input_count = operation->input_count,
                                              .output_count = operation->output_count};

    add_bytes(to, &numbers, sizeof numbers);
    add_indices(to, operation->input_count, operation->inputs);
    add_indices(to, operation->output_count, operation->outputs);
    if (numbers.is_extension)
        add_text(to, extension_name(model, operation->type));
}

static void add_subgraph(struct fields *to, struct walk *walk, const struct hy_subgraph *graph)
{
    const uint32_t counts[] = {graph->operand_count, graph->operation_count, graph->input_count,
                               graph->output_count};

    add_bytes(to, counts, sizeof counts);
    for (uint32_t i = 0; i < graph->operand_count; i++)
        add_operand(to, walk, &graph->operands[i]);
    for (uint32_t i = 0; i < graph->operation_count; i++)
        add_operation(to, walk->model, &graph->operations[i]);
    add_indices(to, graph->input_count, graph->inputs);
    add_indices(to, graph->output_count, graph->outputs);
}

static enum hy_code add_model(struct fields *to, const struct hy_token_facts *facts,
                              struct hy_error *err)
{
    const struct hy_model *model = facts->model;
    struct hy_constants constants;

    enum hy_code code = hy_constants_read(model, facts->share, &constants, err);
    if (code != HY_OK)
        return code;
    struct walk walk = {.model = model, .next = constants.items};
    add_u32(to, model->relaxed_float);
    add_u32(to, model->referenced_count);
    for (uint32_t i = 0; i < model->referenced_count; i++)
        add_subgraph(to, &walk, model->referenced[i]);
    add_subgraph(to, &walk, model->main);
    hy_constants_finish(&constants);
    return HY_OK;
}

/* ---- Hints ----------------------------------------------------------------------------------- */

/* A hint under its name that lasts: prefixes differ from run to run. */
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

static const char *find_extension(const struct hy_token_facts *facts, uint32_t prefix)
{
    for (uint32_t i = 0; i < facts->prefix_count; i++) {
        if (facts->prefixes[i].prefix == prefix)
            return facts->prefixes[i].name;
    }
    return NULL;
}

static enum hy_code name_hints(const struct hy_token_facts *facts, struct named_hint *named,
                               struct hy_error *err)
{
    for (uint32_t i = 0; i < facts->hint_count; i++) {
        const struct hy_hint *hint = &facts->hints[i];
        named[i] = (struct named_hint){.extension = find_extension(facts, hint->token >> 16),
                                       .code = hint->token & 0xffffu,
                                       .hint = hint};
        if (!named[i].extension)
            return hy_fail(err, HY_BAD_DATA, "hint %u: prefix %u has no name", i,
                           hint->token >> 16);
    }
    return HY_OK;
}

static enum hy_code add_hints(struct fields *to, const struct hy_token_facts *facts,
                              struct hy_error *err)
{
    add_u32(to, facts->hint_count);
    if (facts->hint_count == 0)
        return HY_OK;
    struct named_hint *named = calloc(facts->hint_count, sizeof *named);
    if (!named)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u hints", facts->hint_count);

    enum hy_code code = name_hints(facts, named, err);
    if (code == HY_OK) {
        qsort(named, facts->hint_count, sizeof *named, compare);
        for (uint32_t i = 0; i < facts->hint_count; i++) {
            add_text(to, named[i].extension);
            add_u32(to, named[i].code);
            add_field(to, named[i].hint->data, named[i].hint->length);
        }
    }
    free(named);
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------- */

enum hy_code hy_token_make(const struct hy_token_facts *facts, uint8_t token[HY_TOKEN_SIZE],
                           struct hy_error *err)
{
    static_assert(HY_TOKEN_SIZE == crypto_generichash_BYTES, "a token is one BLAKE2b-256");
    struct fields to;

    if (sodium_init() < 0 || crypto_generichash_init(&to.hash, NULL, 0, HY_TOKEN_SIZE) != 0)
        return hy_fail(err, HY_FAILED, "libsodium cannot be started");

    to.used = 0;
    add_text(&to, LAYOUT);
    add_field(&to, facts->app_token, facts->app_token ? HY_TOKEN_SIZE : 0);
    add_text(&to, facts->device_name);
    add_text(&to, facts->device_version);
    add_text(&to, facts->build_id);
    add_text(&to, facts->cpu_features);
    add_u32(&to, facts->abi);
    add_u32(&to, (uint32_t)facts->preference);
    add_u32(&to, (uint32_t)facts->priority);
    enum hy_code code = add_hints(&to, facts, err);
    if (code == HY_OK)
        code = add_model(&to, facts, err);
    if (code == HY_OK) {
        flush(&to);
        crypto_generichash_final(&to.hash, token, HY_TOKEN_SIZE);
    }
    return code;
}
