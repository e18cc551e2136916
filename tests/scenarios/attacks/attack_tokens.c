#include "party.h"

#include "plugins/service/queue/packet.h"
#include "plugins/service/queue/request_packet.h"
#include "plugins/service/queue/rings.h"
#include "plugins/service/wire/bursts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    NEAR = 24,    /* numbers around those that another one has */
    GUESSES = 48, /* of a kind, in a round */
    RING = 64,
    RESULT_MS = 2000,
};

static unsigned long guesses, hits_of_its_own, reuses;

/* ---- Guesses --------------------------------------------------------------------------------- */

static uint64_t guess(struct hy_random *chance, uint64_t known)
{
    switch (hy_random_below(chance, 4)) {
    case 0:
        return known;
    case 1:
        return hy_random_next(chance);
    case 2:
        return known ^ UINT64_C(1) << hy_random_below(chance, 64);
    default:
        return known + hy_random_below(chance, 2 * NEAR) - NEAR;
    }
}

static void clear(struct party *party)
{
    party_fill(party->values, -1);
    party_fill(party->values + PARTY_EXTENT, 0);
    party_fill(party->values + 2 * PARTY_EXTENT, -1);
}

static void expect_nothing(struct party *thief, int32_t status, bool is_own, const char *what,
                           uint64_t name)
{
    guesses++;
    hits_of_its_own += is_own && status == HY_STATUS_OK;
    if (status == -1)
        live_fail("%s %llu: the service hangs up", what, (unsigned long long)name);
    if (status == HY_STATUS_OK && !is_own)
        live_fail("%s %llu of another client is there", what, (unsigned long long)name);
    if (!is_own && (!party_is_filled(thief->values + 2 * PARTY_EXTENT, -1)))
        live_fail("%s %llu: something has been computed", what, (unsigned long long)name);
}

static void guess_objects(struct hy_random *chance, struct party *thief, struct party *owner)
{
    static const enum hy_wire_kind kinds[] = {HY_WIRE_REUSABLE_DESTROY, HY_WIRE_FENCED_DESTROY,
                                              HY_WIRE_FENCED_RESULT, HY_WIRE_PREPARED_DESTROY,
                                              HY_WIRE_BUFFER_DESTROY};
    const uint32_t which = hy_random_below(chance, 5);
    const uint64_t known = which == 4 ? owner->buffer : owner->prepared;
    const uint64_t object = guess(chance, known);
    const bool is_own = object == thief->prepared || object == thief->buffer;

    if (is_own) /* which it may destroy */
        return;
    clear(thief);
    raw_call(&thief->client, kinds[which], object);
    expect_nothing(thief, raw_make(&thief->client), false, "object", object);
}

static void guess_copies(struct hy_random *chance, struct party *thief, struct party *owner)
{
    const uint64_t buffer = guess(chance, owner->buffer);

    if (buffer == thief->buffer)
        return;
    clear(thief);
    const int32_t status = party_copy(
        thief, hy_random_below(chance, 2) ? HY_WIRE_BUFFER_COPY_TO : HY_WIRE_BUFFER_COPY_FROM,
        buffer);
    expect_nothing(thief, status, false, "buffer", buffer);
    if (!party_is_filled(thief->values, -1))
        live_fail("buffer %llu was read", (unsigned long long)buffer);
}

static void guess_tokens(struct hy_random *chance, struct party *thief, struct party *owner)
{
    const uint32_t token = (uint32_t)guess(chance, owner->token);
    const struct hy_pool named = {.kind = HY_POOL_BUFFER, .buffer_token = token, .fd = -1};

    if (token == 0)
        return;
    clear(thief);
    expect_nothing(thief, raw_execute(&thief->client, thief->prepared, &named, &thief->memory),
                   token == thief->token, "token", token);
}

static void guess_memories(struct hy_random *chance, struct party *thief, struct party *owner)
{
    struct hy_pool named = thief->memory;

    named.id = guess(chance, owner->memory.id);
    if (named.id == 0)
        return;
    clear(thief);
    expect_nothing(thief, raw_execute(&thief->client, thief->prepared, &named, &thief->memory),
                   named.id == thief->memory.id, "memory", named.id);
}

static void guess_models(struct hy_random *chance, struct party *thief, struct party *owner)
{
    const uint64_t prepared = guess(chance, owner->prepared);

    clear(thief);
    expect_nothing(thief, raw_execute(&thief->client, prepared, &thief->memory, &thief->memory),
                   prepared == thief->prepared, "model", prepared);
}

/* ---- Bursts ---------------------------------------------------------------------------------- */

struct burst {
    struct raw_client client;
    struct hy_rings rings;
    uint32_t number;
};

static bool open_burst(struct burst *burst, const struct party *thief)
{
    int memory = -1;

    /* another channel of the same client */
    memset(burst, 0, sizeof *burst);
    hy_outgoing_init(&burst->client.call);
    hy_incoming_init(&burst->client.reply);
    burst->client.control.fd = thief->client.control.fd;
    hy_socket_init(&burst->client.channel, raw_channel((struct raw_client *)&thief->client));
    if (hy_rings_create(RING, &burst->rings, &memory, NULL) != HY_OK)
        live_fail("no rings");
    raw_call(&burst->client, HY_WIRE_BURST_OPEN, thief->prepared);
    hy_pack_fd(&burst->client.call.body, memory);
    const bool is_open = raw_make(&burst->client) == HY_STATUS_OK;
    close(memory);
    return is_open;
}

static void close_burst(struct burst *burst)
{
    raw_call(&burst->client, HY_WIRE_BURST_CLOSE, 0);
    (void)raw_make(&burst->client);
    hy_socket_finish(&burst->client.channel);
    hy_outgoing_finish(&burst->client.call);
    hy_incoming_finish(&burst->client.reply);
    hy_rings_close(&burst->rings);
}

/* The status in the next result; -1: there is none. */
static int32_t await_result(struct burst *burst)
{
    union hy_element elements[RING];
    uint32_t count = 0;

    for (int waited = 0; waited < RESULT_MS * 10; waited++) {
        if (hy_result_packet_pop(&burst->rings.results, elements, &count) == HY_PACKET_WHOLE)
            return elements[0].result.packet.status;
        usleep(100);
    }
    return -1;
}

static int32_t execute_in_burst(struct burst *burst, const struct hy_pool pools[2],
                                const int32_t slots[2])
{
    const struct hy_argument inputs[] = {
        {.location = {.pool = 0, .length = pools[0].kind == HY_POOL_BUFFER ? 0 : PARTY_BYTES}},
        {.location = {.pool = 1, .offset = PARTY_BYTES, .length = PARTY_BYTES}}};
    const struct hy_argument output = {
        .location = {.pool = 1, .offset = 2 * PARTY_BYTES, .length = PARTY_BYTES}};
    const struct hy_request request = {.struct_size = sizeof request,
                                       .input_count = 2,
                                       .output_count = 1,
                                       .pool_count = 2,
                                       .inputs = inputs,
                                       .outputs = &output,
                                       .pools = pools};
    const struct hy_run_options options = {.struct_size = sizeof options,
                                           .deadline = HY_NO_DEADLINE};
    union hy_element elements[RING];

    const uint64_t count = hy_request_packet_encode(&request, &options, elements, RING);
    if (count == 0 || count > RING)
        live_fail("no packet");
    hy_request_packet_set_slots(&request, slots, elements);
    elements[0].request.packet.number = burst->number++;
    if (hy_ring_write(&burst->rings.requests, elements, (uint32_t)count) != HY_RING_DONE)
        return -1;
    return await_result(burst);
}

/* Slots that nobody has announced here, and buffers that are another client's. */
static void guess_in_burst(struct hy_random *chance, struct party *thief, struct party *owner)
{
    struct burst burst;

    if (!open_burst(&burst, thief))
        live_fail("no burst: %s", burst.client.error_text);
    raw_call(&burst.client, HY_WIRE_BURST_ANNOUNCE, 0);
    hy_burst_slot_pack(&burst.client.call.body, &(struct hy_burst_slot){0, thief->memory});
    if (hy_frame_send(&burst.client.channel, &burst.client.call, 0, NULL) != HY_OK)
        live_fail("no slot");
    for (int i = 0; i < GUESSES / 4; i++) {
        const bool is_slot = hy_random_below(chance, 2);
        const uint32_t name =
            is_slot ? (uint32_t)guess(chance, 1) : (uint32_t)guess(chance, owner->token);
        const struct hy_pool pools[2] = {
            is_slot ? thief->memory
                    : (struct hy_pool){.kind = HY_POOL_BUFFER, .buffer_token = name, .fd = -1},
            thief->memory};
        const int32_t slots[2] = {is_slot ? (int32_t)name : HY_QUEUE_NO_SLOT, 0};
        if (name == 0 || (is_slot && name > INT32_MAX))
            continue;
        clear(thief);
        const int32_t status = execute_in_burst(&burst, pools, slots);
        if (status == -1) /* a burst may end of it */
            break;
        expect_nothing(thief, status, !is_slot && name == thief->token, is_slot ? "slot" : "token",
                       name);
    }
    close_burst(&burst);
}

/* ---- Names that were others' before ---------------------------------------------------------- */

/* What the thief has destroyed itself, and the owner may have got since. */
static void use_again(struct party *thief, struct party *owner, float secret, float loot)
{
    const uint32_t old_token = thief->token;
    const uint64_t old_buffer = thief->buffer;

    party_destroy_buffer(thief);
    party_destroy_buffer(owner);
    party_make_buffer(owner, secret);
    const struct hy_pool stale = {.kind = HY_POOL_BUFFER, .buffer_token = old_token, .fd = -1};
    clear(thief);
    expect_nothing(thief, raw_execute(&thief->client, thief->prepared, &stale, &thief->memory),
                   false, "stale token", old_token);
    clear(thief);
    expect_nothing(thief, party_copy(thief, HY_WIRE_BUFFER_COPY_TO, old_buffer), false,
                   "stale buffer", old_buffer);
    party_make_buffer(thief, loot);
    party_expect_unharmed(thief, loot);
    reuses++;
}

/* Memory that another client has named by the same number. */
static void drop_memory(struct party *thief, const struct party *owner)
{
    raw_call(&thief->client, HY_WIRE_MEMORY_DROP, owner->memory.id);
    (void)!hy_frame_send(&thief->client.control, &thief->client.call, 0, NULL);
}

/* ---- A round --------------------------------------------------------------------------------- */

void attack_tokens(struct hy_random *chance)
{
    static void (*const ways[])(struct hy_random * chance, struct party * thief,
                                struct party * owner) = {guess_objects, guess_copies, guess_tokens,
                                                         guess_memories, guess_models};
    const float secret = (float)hy_random_below(chance, 1 << 16), loot = secret + 7;
    const bool is_other_user = hy_random_below(chance, 4) != 0;
    struct party owner = {0}, thief = {0};

    party_enter(&owner, false, 1 + hy_random_below(chance, 1000), secret);
    party_enter(&thief, is_other_user, 2000 + hy_random_below(chance, 1000), loot);
    for (int i = 0; i < GUESSES; i++)
        ways[hy_random_below(chance, 5)](chance, &thief, &owner);
    guess_in_burst(chance, &thief, &owner);
    drop_memory(&thief, &owner);
    party_expect_unharmed(&owner, secret);
    party_expect_unharmed(&thief, loot);
    use_again(&thief, &owner, secret + 1, loot + 1);
    party_expect_unharmed(&owner, secret + 1);
    party_leave(&thief);
    party_expect_unharmed(&owner, secret + 1);
    party_leave(&owner);
}

void attack_tokens_report(void)
{
    printf("%lu guesses, %lu of them the guesser's own; %lu buffers made anew\n", guesses,
           hits_of_its_own, reuses);
}
