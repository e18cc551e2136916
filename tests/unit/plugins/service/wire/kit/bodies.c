#include "bodies.h"

#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/messages.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/pools.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/result.h"
#include "plugins/service/wire/wire_cache.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

/* What those who ask know beforehand about the answer. */
enum { OUTPUTS = 3, OPERATIONS = 11 };

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* A value in memory that is zeroed first. */
struct hy_wire_piece {
    void (*make)(struct hy_wire_samples *samples, void *value);
    void (*pack)(struct hy_pack *out, const void *value);
    void (*unpack)(struct hy_unpack *in, void *value);
};

enum { MOST_PIECES = 3, MOST_BYTES = 512 };

#define PIECE(name, type) \
    static_assert(sizeof(type) <= MOST_BYTES, "a value"); \
    static const struct hy_wire_piece piece_##name = {make_##name, pack_##name, unpack_##name};

/* One that is nothing but its rows. */
#define PLAIN(name) \
    static void make_##name(struct hy_wire_samples *samples, void *value) \
    { \
        hy_wire_random(samples, hy_##name##_fields, value); \
    } \
    static void pack_##name(struct hy_pack *out, const void *value) \
    { \
        hy_##name##_pack(out, value); \
    } \
    static void unpack_##name(struct hy_unpack *in, void *value) \
    { \
        hy_##name##_unpack(in, value); \
    } \
    PIECE(name, struct hy_##name)
PLAIN(hello)
PLAIN(opening)
PLAIN(opened)
PLAIN(log_line)
PLAIN(deadline)
PLAIN(unknown_memory)
PLAIN(description)
PLAIN(prepare_options)
PLAIN(run_options)
PLAIN(fences)
PLAIN(fenced_result)
PLAIN(created_buffer)
PLAIN(buffer_copy)
PLAIN(burst_slot)
PLAIN(cache_token)
PLAIN(cache_update)
PLAIN(cache_commit)

#define MAKE(name)   static void make_##name(struct hy_wire_samples *samples, void *value)
#define PACK(name)   static void pack_##name(struct hy_pack *out, const void *value)
#define UNPACK(name) static void unpack_##name(struct hy_unpack *in, void *value)

MAKE(text)
{
    *(const char **)value = hy_wire_text(samples);
}

PACK(text)
{
    hy_pack_text(out, *(const char *const *)value);
}

UNPACK(text)
{
    *(const char **)value = hy_unpack_text(in);
}

PIECE(text, const char *)

MAKE(descriptor)
{
    *(int *)value = hy_wire_fd(samples);
}

PACK(descriptor)
{
    hy_pack_fd(out, *(const int *)value);
}

UNPACK(descriptor)
{
    *(int *)value = hy_unpack_fd(in);
}

PIECE(descriptor, int)

MAKE(memory)
{
    *(struct hy_pool *)value = hy_wire_memory(samples);
}

PACK(memory)
{
    hy_memory_pack(out, value);
}

UNPACK(memory)
{
    hy_memory_unpack(in, value);
}

PIECE(memory, struct hy_pool)

MAKE(model)
{
    *(struct hy_model *)value = *hy_wire_model(samples);
}

PACK(model)
{
    hy_wire_demand_model(value);
    hy_model_pack(out, value);
}

UNPACK(model)
{
    struct hy_pool *pools;

    hy_model_unpack(in, value, &pools);
}

PIECE(model, struct hy_model)

MAKE(supported_ops_reply)
{
    *(struct hy_supported_ops_reply *)value = hy_wire_supported_ops_reply(samples, OPERATIONS);
}

PACK(supported_ops_reply)
{
    hy_supported_ops_reply_pack(out, value);
}

UNPACK(supported_ops_reply)
{
    hy_supported_ops_reply_unpack(in, OPERATIONS, value);
}

PIECE(supported_ops_reply, struct hy_supported_ops_reply)

MAKE(request)
{
    *(struct hy_request *)value = hy_wire_request(samples);
}

PACK(request)
{
    hy_wire_demand_request(value);
    hy_request_pack(out, value);
}

UNPACK(request)
{
    struct hy_pool *pools;

    hy_request_unpack(in, value, &pools);
}

PIECE(request, struct hy_request)

struct result {
    struct hy_result result;
    struct hy_output_shape shapes[OUTPUTS];
};

MAKE(result)
{
    *(struct hy_result *)value = hy_wire_result(samples, OUTPUTS);
}

PACK(result)
{
    hy_result_pack(out, value);
}

UNPACK(result)
{
    struct result *result = value;

    result->result = (struct hy_result){.output_count = OUTPUTS, .outputs = result->shapes};
    hy_result_unpack(in, &result->result);
}

PIECE(result, struct result)

MAKE(named_buffer_desc)
{
    struct hy_named_buffer_desc *named = value;

    named->desc = hy_wire_buffer_desc(samples, &named->ids);
}

PACK(named_buffer_desc)
{
    const struct hy_named_buffer_desc *named = value;

    hy_buffer_desc_pack(out, &named->desc, named->ids);
}

UNPACK(named_buffer_desc)
{
    struct hy_named_buffer_desc *named = value;

    hy_buffer_desc_unpack(in, &named->desc, &named->ids, &named->prepared);
    for (uint32_t i = 0; hy_unpack_good(in) && i < named->desc.prepared_count; i++)
        named->prepared[i] = named;
}

PIECE(named_buffer_desc, struct hy_named_buffer_desc)

/* ---- Bodies ---------------------------------------------------------------------------------- */

static const struct hy_wire_piece piece_; /* none */

#define PIECES(...) PIECES_(__VA_ARGS__, , , )
#define PIECES_(a, b, c, ...) \
    { \
        &piece_##a, &piece_##b, &piece_##c \
    }

#define REPLY_TO_CALL(number, label, pieces) \
    {"answer to " label, number | HY_WIRE_REPLY, PIECES pieces},
#define REPLY_TO_NOTIFY(number, label, pieces)
#define MESSAGE(number, NAME, label, sender, position, way, object, body, reply) \
    {label, number, PIECES body}, REPLY_TO_##way(number, label, reply)

static const struct hy_wire_body bodies[] = {
#include "plugins/service/wire/messages.def"
    {"failure", HY_WIRE_PREPARE | HY_WIRE_REPLY, PIECES(text)},
    {"unknown memory", HY_WIRE_PREPARE | HY_WIRE_REPLY, PIECES(text, unknown_memory)},
    {"insufficient size", HY_WIRE_EXECUTE | HY_WIRE_REPLY, PIECES(text, result)},
};

const struct hy_wire_body *hy_wire_body(uint32_t index)
{
    return index < sizeof bodies / sizeof bodies[0] ? &bodies[index] : NULL;
}

struct values {
    alignas(max_align_t) uint8_t bytes[MOST_PIECES][MOST_BYTES];
};

static void pack(const struct hy_wire_body *body, const struct values *values, struct hy_pack *out)
{
    for (uint32_t i = 0; i < MOST_PIECES && body->pieces[i]->pack; i++)
        body->pieces[i]->pack(out, values->bytes[i]);
}

void hy_wire_make(const struct hy_wire_body *body, struct hy_wire_samples *samples,
                  struct hy_pack *out)
{
    struct values values = {0};

    for (uint32_t i = 0; i < MOST_PIECES && body->pieces[i]->make; i++)
        body->pieces[i]->make(samples, values.bytes[i]);
    pack(body, &values, out);
}

enum hy_code hy_wire_echo(const struct hy_wire_body *body, struct hy_unpack *in,
                          struct hy_pack *out)
{
    struct values values = {0};

    for (uint32_t i = 0; i < MOST_PIECES && body->pieces[i]->unpack; i++)
        body->pieces[i]->unpack(in, values.bytes[i]);
    const enum hy_code code = hy_unpack_end(in);
    if (code != HY_OK)
        return code;
    pack(body, &values, out);
    return out->code;
}
