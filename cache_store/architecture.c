#include "cache_store/architecture.h"

#include "cache_store/model_identity.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

/* Adds 4-byte numbers in little-endian order. */
static void add_words(crypto_hash_sha256_state *hash, const void *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)words + i * sizeof word, sizeof word);
        const uint8_t bytes[] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                                 (uint8_t)(word >> 24)};
        crypto_hash_sha256_update(hash, bytes, sizeof bytes);
    }
}

static void add_u32(crypto_hash_sha256_state *hash, uint32_t value)
{
    add_words(hash, &value, 1);
}

static void add_list(crypto_hash_sha256_state *hash, uint32_t count, const uint32_t *values)
{
    add_u32(hash, count);
    add_words(hash, values, count);
}

static void add_extension(crypto_hash_sha256_state *hash, const struct hy_model *model,
                          int32_t code)
{
    const char *name = hy_code_extension(model, code);

    if (!name)
        return;
    add_u32(hash, (uint32_t)strlen(name));
    crypto_hash_sha256_update(hash, (const unsigned char *)name, strlen(name));
}

static void add_operand(crypto_hash_sha256_state *hash, const struct hy_model *model,
                        const struct hy_operand *operand)
{
    const struct hy_operand identity = hy_operand_identity(operand);
    const union hy_word numbers[] = {
#define OPERAND_NUMBER(member, kind, token, architecture) \
    [architecture] = {.kind = identity.member},
#include "common/model/model_fields.def"
    };
    const uint32_t last = sizeof numbers / sizeof *numbers - 1; /* dimension of the scales */

    add_words(hash, numbers, 1); /* type */
    add_extension(hash, model, operand->type);
    add_words(hash, numbers + 1, 2); /* lifetime, rank */
    add_words(hash, operand->dims, operand->rank);
    add_words(hash, numbers + 3, last - 3);
    if (operand->channel_count > 0)
        add_words(hash, numbers + last, 1);
    add_words(hash, operand->channel_scales, operand->channel_count);
    if (operand->lifetime == HY_LIFETIME_SUBGRAPH)
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
        add_u32(hash, (uint32_t)hy_code_identity(operation->type));
        add_extension(hash, model, operation->type);
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
    for (uint32_t i = 0; i <= model->referenced_count; i++)
        add_subgraph(&state, model, hy_model_subgraph(model, i));
    crypto_hash_sha256_final(&state, hash);
    return HY_OK;
}
