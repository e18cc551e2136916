#include "party.h"

#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/pools.h"

#include <sys/mman.h>
#include <unistd.h>

static void make_memory(struct party *party, uint64_t id)
{
    party->memory = (struct hy_pool){.kind = HY_POOL_ASHMEM,
                                     .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                     .fd = memfd_create("party", MFD_CLOEXEC),
                                     .id = id,
                                     .size = 3 * PARTY_BYTES};
    if (ftruncate(party->memory.fd, 3 * PARTY_BYTES) != 0)
        live_fail("no memory");
    party->values =
        mmap(NULL, 3 * PARTY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, party->memory.fd, 0);
    if (party->values == MAP_FAILED)
        live_fail("no memory");
    raw_call(&party->client, HY_WIRE_MEMORY_ADD, id);
    hy_memory_pack(&party->client.call.body, &party->memory);
    if (raw_make(&party->client) != HY_STATUS_OK)
        live_fail("memory is refused: %s", party->client.error_text);
}

int32_t party_copy(struct party *party, enum hy_wire_kind kind, uint64_t buffer)
{
    static const uint32_t dims[] = {PARTY_EXTENT};
    const bool is_from = kind == HY_WIRE_BUFFER_COPY_FROM;
    const struct hy_pool pool = {.kind = HY_POOL_ASHMEM,
                                 .protection = HY_PROTECT_READ | HY_PROTECT_WRITE,
                                 .fd = party->memory.fd,
                                 .size = PARTY_BYTES};

    raw_call(&party->client, kind, buffer);
    hy_buffer_copy_pack(&party->client.call.body, &(struct hy_buffer_copy){pool, dims, is_from});
    return raw_make(&party->client);
}

void party_fill(float *values, float first)
{
    for (int i = 0; i < PARTY_EXTENT; i++)
        values[i] = first + (float)i;
}

bool party_is_filled(const float *values, float first)
{
    bool filled = true;

    for (int i = 0; i < PARTY_EXTENT; i++)
        filled &= values[i] == first + (float)i;
    return filled;
}

void party_make_buffer(struct party *party, float secret)
{
    party->buffer = raw_buffer(&party->client, party->prepared, &party->token);
    if (party->buffer == 0)
        live_fail("no buffer: %s", party->client.error_text);
    party_fill(party->values, secret);
    if (party_copy(party, HY_WIRE_BUFFER_COPY_FROM, party->buffer) != HY_STATUS_OK)
        live_fail("a buffer takes nothing: %s", party->client.error_text);
}

void party_destroy_buffer(struct party *party)
{
    raw_call(&party->client, HY_WIRE_BUFFER_DESTROY, party->buffer);
    if (raw_make(&party->client) != HY_STATUS_OK)
        live_fail("a buffer stays: %s", party->client.error_text);
}

void party_enter(struct party *party, bool is_attacker, uint64_t id, float secret)
{
    attack_begin(&party->client, LIVE_CPU, is_attacker);
    make_memory(party, id);
    party->prepared = raw_prepare(&party->client);
    if (party->prepared == 0)
        live_fail("no model: %s", party->client.error_text);
    party_make_buffer(party, secret);
}

void party_leave(struct party *party)
{
    raw_close(&party->client);
    munmap(party->values, 3 * PARTY_BYTES);
    close(party->memory.fd);
}

/* Its buffer and its models are as they were. */
void party_expect_unharmed(struct party *party, float secret)
{
    party_fill(party->values, -1);
    if (party_copy(party, HY_WIRE_BUFFER_COPY_TO, party->buffer) != HY_STATUS_OK ||
        !party_is_filled(party->values, secret))
        live_fail("a buffer was reached by another client: %g, not %g; %s",
                  (double)party->values[0], (double)secret, party->client.error_text);
    const struct hy_pool own = {.kind = HY_POOL_BUFFER, .buffer_token = party->token, .fd = -1};
    party_fill(party->values + PARTY_EXTENT, 100);
    if (raw_execute(&party->client, party->prepared, &own, &party->memory) != HY_STATUS_OK)
        live_fail("a model was reached by another client: %s", party->client.error_text);
    for (int i = 0; i < PARTY_EXTENT; i++) {
        if (party->values[2 * PARTY_EXTENT + i] != secret + 100 + (float)(2 * i))
            live_fail("a sum is %g", (double)party->values[2 * PARTY_EXTENT + i]);
    }
}
