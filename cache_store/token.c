#include "cache_store/token.h"

#include "common/checked.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Changes whenever the fields below do, so that tokens of two layouts never meet. */
#define LAYOUT "halyard token 2"

/* Integers are hashed as the machine holds them: a token never leaves it. */
static void add_field(crypto_generichash_state *hash, const void *data, uint64_t length)
{
    crypto_generichash_update(hash, (const unsigned char *)&length, sizeof length);
    if (length > 0)
        crypto_generichash_update(hash, data, length);
}

static void add_text(crypto_generichash_state *hash, const char *text)
{
    add_field(hash, text, strlen(text));
}

static void add_u32(crypto_generichash_state *hash, uint32_t value)
{
    add_field(hash, &value, sizeof value);
}

/* A code of an extension counts by the extension's name, since prefixes differ from run to run. */
static void add_code(crypto_generichash_state *hash, const struct hy_model *model, int32_t code)
{
    const uint32_t prefix = (uint32_t)code >> 16;

    add_u32(hash, prefix ? (uint32_t)code & 0xffffu : (uint32_t)code);
    for (uint32_t i = 0; prefix && i < model->extension_count; i++) {
        if (model->extensions[i].prefix == prefix)
            add_text(hash, model->extensions[i].name);
    }
}

static enum hy_code find_constant(const struct hy_model *model, const struct hy_operand *operand,
                                  const uint8_t **ret, struct hy_error *err)
{
    const struct hy_location *at = &operand->location;
    const uint8_t *start = model->values;
    uint64_t size = model->values_size;

    if (operand->lifetime == HY_LIFETIME_CONSTANT_POOL) {
        if (at->pool >= model->pool_count)
            return hy_fail(err, HY_BAD_DATA, "constant in pool %u of %u", at->pool,
                           model->pool_count);
        start = model->pools[at->pool].address;
        size = model->pools[at->pool].size;
    }
    if (!hy_range_inside(at->offset, at->length, size))
        return hy_fail(err, HY_BAD_DATA, "constant of %llu bytes at %llu, its pool has %llu",
                       (unsigned long long)at->length, (unsigned long long)at->offset,
                       (unsigned long long)size);
    if (!start)
        return hy_fail(err, HY_FAILED, "constant in pool %u, which has no address", at->pool);
    *ret = start + at->offset;
    return HY_OK;
}

static enum hy_code add_constant(crypto_generichash_state *hash, const struct hy_model *model,
                                 const struct hy_operand *operand, struct hy_error *err)
{
    const uint8_t *bytes = NULL;
    enum hy_code code = find_constant(model, operand, &bytes, err);
    if (code != HY_OK)
        return code;

    const XXH128_hash_t digest = XXH3_128bits(bytes, operand->location.length);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, digest);
    add_field(hash, &operand->location.length, sizeof operand->location.length);
    add_field(hash, canonical.digest, sizeof canonical.digest);
    return HY_OK;
}

static enum hy_code add_operand(crypto_generichash_state *hash, const struct hy_model *model,
                                const struct hy_operand *operand, struct hy_error *err)
{
    /* Both kinds of constant are the same to a driver's result. */
    const int32_t lifetime = operand->lifetime == HY_LIFETIME_CONSTANT_POOL
                                 ? HY_LIFETIME_CONSTANT_COPY
                                 : operand->lifetime;

    add_code(hash, model, operand->type);
    add_u32(hash, (uint32_t)lifetime);
    add_field(hash, operand->dims, (uint64_t)operand->rank * sizeof *operand->dims);
    add_field(hash, &operand->scale, sizeof operand->scale);
    add_u32(hash, (uint32_t)operand->zero_point);
    add_u32(hash, operand->channel_dim);
    add_field(hash, operand->channel_scales,
              (uint64_t)operand->channel_count * sizeof *operand->channel_scales);
    add_field(hash, operand->extension_data, operand->extension_length);
    if (lifetime == HY_LIFETIME_CONSTANT_COPY)
        return add_constant(hash, model, operand, err);
    if (lifetime == HY_LIFETIME_SUBGRAPH)
        add_field(hash, &operand->location.offset, sizeof operand->location.offset);
    return HY_OK;
}

static void add_indices(crypto_generichash_state *hash, uint32_t count, const uint32_t *indices)
{
    add_field(hash, indices, (uint64_t)count * sizeof *indices);
}

static enum hy_code add_subgraph(crypto_generichash_state *hash, const struct hy_model *model,
                                 const struct hy_subgraph *graph, struct hy_error *err)
{
    add_u32(hash, graph->operand_count);
    for (uint32_t i = 0; i < graph->operand_count; i++) {
        enum hy_code code = add_operand(hash, model, &graph->operands[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "operand %u", i);
    }
    add_u32(hash, graph->operation_count);
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        add_code(hash, model, operation->type);
        add_indices(hash, operation->input_count, operation->inputs);
        add_indices(hash, operation->output_count, operation->outputs);
    }
    add_indices(hash, graph->input_count, graph->inputs);
    add_indices(hash, graph->output_count, graph->outputs);
    return HY_OK;
}

static enum hy_code add_model(crypto_generichash_state *hash, const struct hy_model *model,
                              struct hy_error *err)
{
    add_u32(hash, model->relaxed_float);
    add_u32(hash, model->referenced_count);
    for (uint32_t i = 0; i < model->referenced_count; i++) {
        enum hy_code code = add_subgraph(hash, model, model->referenced[i], err);
        if (code != HY_OK)
            return hy_error_prefix(err, code, "subgraph %u", i);
    }
    return add_subgraph(hash, model, model->main, err);
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

static enum hy_code add_hints(crypto_generichash_state *hash, const struct hy_token_facts *facts,
                              struct hy_error *err)
{
    add_u32(hash, facts->hint_count);
    if (facts->hint_count == 0)
        return HY_OK;
    struct named_hint *named = calloc(facts->hint_count, sizeof *named);
    if (!named)
        return hy_fail(err, HY_OUT_OF_MEMORY, "list of %u hints", facts->hint_count);

    enum hy_code code = name_hints(facts, named, err);
    if (code == HY_OK) {
        qsort(named, facts->hint_count, sizeof *named, compare);
        for (uint32_t i = 0; i < facts->hint_count; i++) {
            add_text(hash, named[i].extension);
            add_u32(hash, named[i].code);
            add_field(hash, named[i].hint->data, named[i].hint->length);
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
    crypto_generichash_state hash;

    if (sodium_init() < 0 || crypto_generichash_init(&hash, NULL, 0, HY_TOKEN_SIZE) != 0)
        return hy_fail(err, HY_FAILED, "libsodium cannot be started");

    add_text(&hash, LAYOUT);
    add_field(&hash, facts->app_token, facts->app_token ? HY_TOKEN_SIZE : 0);
    add_text(&hash, facts->device_name);
    add_text(&hash, facts->device_version);
    add_text(&hash, facts->build_id);
    add_text(&hash, facts->cpu_features);
    add_u32(&hash, facts->abi);
    add_u32(&hash, (uint32_t)facts->preference);
    add_u32(&hash, (uint32_t)facts->priority);
    enum hy_code code = add_hints(&hash, facts, err);
    if (code == HY_OK)
        code = add_model(&hash, facts->model, err);
    if (code == HY_OK)
        crypto_generichash_final(&hash, token, HY_TOKEN_SIZE);
    return code;
}
