#include "cache_store/architecture.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

static void add_u32(crypto_hash_sha256_state *hash, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                             (uint8_t)(value >> 24)};
    crypto_hash_sha256_update(hash, bytes, sizeof bytes);
}

static void add_list(crypto_hash_sha256_state *hash, uint32_t count, const uint32_t *values)
{
    add_u32(hash, count);
    for (uint32_t i = 0; i < count; i++)
        add_u32(hash, values[i]);
}

static void add_float(crypto_hash_sha256_state *hash, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_u32(hash, bits);
}

static void add_text(crypto_hash_sha256_state *hash, const char *text)
{
    const size_t length = strlen(text);
    add_u32(hash, (uint32_t)length);
    crypto_hash_sha256_update(hash, (const unsigned char *)text, length);
}

/* A code of an extension counts by the extension's name, since prefixes differ from run to run. */
static void add_code(crypto_hash_sha256_state *hash, const struct hy_model *model, int32_t code)
{
    const uint32_t prefix = (uint32_t)code >> 16;

    add_u32(hash, (uint32_t)code & 0xffffu);
    for (uint32_t i = 0; prefix && i < model->extension_count; i++) {
        if (model->extensions[i].prefix == prefix)
            add_text(hash, model->extensions[i].name);
    }
}

static void add_operand(crypto_hash_sha256_state *hash, const struct hy_model *model,
                        const struct hy_operand *operand)
{
    const int32_t lifetime = operand->lifetime == HY_LIFETIME_CONSTANT_POOL
                                 ? HY_LIFETIME_CONSTANT_COPY
                                 : operand->lifetime;

    add_code(hash, model, operand->type);
    add_u32(hash, (uint32_t)lifetime);
    add_list(hash, operand->rank, operand->dims);
    add_float(hash, operand->scale);
    add_u32(hash, (uint32_t)operand->zero_point);
    add_u32(hash, operand->channel_count);
    if (operand->channel_count > 0)
        add_u32(hash, operand->channel_dim);
    for (uint32_t i = 0; i < operand->channel_count; i++)
        add_float(hash, operand->channel_scales[i]);
    if (lifetime == HY_LIFETIME_SUBGRAPH)
        add_u32(hash, (uint32_t)operand->location.offset);
}

static void add_subgraph(crypto_hash_sha256_state *hash, const struct hy_model *model,
                         const struct hy_subgraph *graph)
{
    add_u32(hash, graph->operand_count);
    for (uint32_t i = 0; i < graph->operand_count; i++)
        add_operand(hash, model, &graph->operands[i]);
    add_u32(hash, graph->operation_count);
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        const struct hy_operation *operation = &graph->operations[i];
        add_code(hash, model, operation->type);
        add_list(hash, operation->input_count, operation->inputs);
        add_list(hash, operation->output_count, operation->outputs);
    }
    add_list(hash, graph->input_count, graph->inputs);
    add_list(hash, graph->output_count, graph->outputs);
}

enum hy_code hy_architecture_hash(const struct hy_model *model, uint8_t hash[HY_ARCHITECTURE_SIZE],
                                  struct hy_error *err)
{
    static_assert(HY_ARCHITECTURE_SIZE == crypto_hash_sha256_BYTES, "the hash is one SHA-256");
    crypto_hash_sha256_state state;

    if (sodium_init() < 0 || crypto_hash_sha256_init(&state) != 0)
        return hy_fail(err, HY_FAILED, "libsodium cannot be started");
    add_u32(&state, model->referenced_count);
    for (uint32_t i = 0; i < model->referenced_count; i++)
        add_subgraph(&state, model, model->referenced[i]);
    add_subgraph(&state, model, model->main);
    crypto_hash_sha256_final(&state, hash);
    return HY_OK;
}
