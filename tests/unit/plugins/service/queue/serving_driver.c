#include "serving_driver.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What the format says, in a driver's own words. */
enum {
    ELEMENT = 24,
    WRITTEN_AT = 64,
    READ_AT = 128,
    ELEMENTS_AT = 256,
    MOST_ELEMENTS = 64, /* of a request that this driver takes */
    MOST_POOLS = 4
};

enum { PACKET, INPUT, INPUT_DIM, OUTPUT, OUTPUT_DIM, SLOT, MEASURE, REST, BUFFER, LIMITS, NOTICES };

struct element {
    uint8_t tag;
    uint8_t zero[3];
    uint32_t at[5]; /* the union, as words */
};

struct burst {
    struct serving_prepared *prepared;
    const struct hy_burst_queues *queues;
    char *requests, *results;
    uint32_t request_capacity, result_capacity;
    uint32_t read, written;
    struct element elements[MOST_ELEMENTS]; /* of the request, private */
    uint32_t count;
};

static _Atomic uint32_t *word(char *ring, uint32_t at)
{
    return (_Atomic uint32_t *)(void *)(ring + at);
}

/* ---- The rings ------------------------------------------------------------------------------- */

static void copy_element(char *ring, uint32_t capacity, uint32_t index, struct element *element)
{
    _Atomic uint64_t *from =
        (_Atomic uint64_t *)(void *)(ring + ELEMENTS_AT + (size_t)(index % capacity) * ELEMENT);
    uint64_t words[3];

    for (int i = 0; i < 3; i++)
        words[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
    memcpy(element, words, sizeof words);
}

static void give_back(struct burst *burst, uint32_t count)
{
    burst->read += count;
    atomic_store_explicit(word(burst->requests, READ_AT), burst->read, memory_order_release);
    burst->queues->wake(burst->queues->context);
}

/* The next packet. False: serving is over. One that this driver does not take has a count of 0. */
static bool pop_packet(struct burst *burst)
{
    const struct hy_burst_queues *queues = burst->queues;
    if (queues->wait(queues->context, burst->read) != HY_STATUS_OK)
        return false;
    const uint32_t fill =
        atomic_load_explicit(word(burst->requests, WRITTEN_AT), memory_order_acquire) - burst->read;
    if (fill == 0 || fill > burst->request_capacity)
        return false;
    copy_element(burst->requests, burst->request_capacity, burst->read, burst->elements);
    const uint32_t claimed = burst->elements[0].at[0];
    if (burst->elements[0].tag != PACKET || claimed == 0 || claimed > fill)
        return false;

    burst->count = claimed <= MOST_ELEMENTS ? claimed : 0;
    for (uint32_t i = 1; i < burst->count; i++)
        copy_element(burst->requests, burst->request_capacity, burst->read + i,
                     &burst->elements[i]);
    give_back(burst, claimed);
    return true;
}

/* So few requests in flight: there is room for their answers. */
static void put_element(struct burst *burst, const void *element)
{
    char *to = burst->results + ELEMENTS_AT +
               (size_t)(burst->written++ % burst->result_capacity) * ELEMENT;

    memcpy(to, element, ELEMENT);
}

static void reply(struct burst *burst, uint32_t number, int32_t status)
{
    const uint32_t outputs = status == HY_STATUS_OK;
    const struct {
        uint64_t tag;
        uint32_t elements;
        int32_t status;
        uint32_t outputs, number;
    } packet = {0, 2 + 2 * outputs, status, outputs, number};
    const struct element output = {.tag = 1, .at = {0, 1, 1}}, dim = {.tag = 2, .at = {0, 4}};
    const uint64_t times[3] = {3, HY_NO_TIME, HY_NO_TIME};

    put_element(burst, &packet);
    if (outputs) {
        put_element(burst, &output);
        put_element(burst, &dim);
    }
    put_element(burst, times);
    atomic_store_explicit(word(burst->results, WRITTEN_AT), burst->written, memory_order_release);
    burst->queues->wake(burst->queues->context);
}

/* ---- A request ------------------------------------------------------------------------------- */

struct addition {
    uint32_t pools[3], offsets[3]; /* of the operands: 4 floats each */
    int32_t slots[MOST_POOLS];
    uint32_t pool_count;
};

/* The element behind an operand and its dimensions; 0: it is not what is wanted here. */
static uint32_t read_operand(const struct burst *burst, uint32_t at, uint8_t tag, uint32_t *pool,
                             uint32_t *offset)
{
    const struct element *operand = &burst->elements[at];
    if (at >= burst->count || operand->tag != tag || operand->at[0] != 0 || operand->at[3] != 16 ||
        operand->at[4] > burst->count - at)
        return 0;

    *pool = operand->at[1];
    *offset = operand->at[2];
    for (uint32_t i = 1; i <= operand->at[4]; i++) {
        if (at + i >= burst->count || operand[i].tag != tag + 1)
            return 0;
    }
    return at + 1 + operand->at[4];
}

/* Two inputs, an output, memories, the measure, the limits, and maybe notices. */
static bool read_addition(const struct burst *burst, struct addition *addition)
{
    const struct element *elements = burst->elements;
    uint32_t at = 1;
    if (burst->count < 2 || elements[0].at[1] != 2 || elements[0].at[2] != 1 ||
        elements[0].at[3] > MOST_POOLS)
        return false;

    addition->pool_count = elements[0].at[3];
    for (int i = 0; i < 3; i++) {
        at = read_operand(burst, at, i < 2 ? INPUT : OUTPUT, &addition->pools[i],
                          &addition->offsets[i]);
        if (at == 0 || addition->pools[i] >= addition->pool_count)
            return false;
    }
    for (uint32_t i = 0; i < addition->pool_count; i++, at++) {
        if (at >= burst->count || elements[at].tag != SLOT)
            return false;
        addition->slots[i] = (int32_t)elements[at].at[0];
    }
    static const uint8_t rest[] = {MEASURE, LIMITS, NOTICES};
    for (uint32_t i = 0; i < 3 && at < burst->count; i++, at++) {
        if (elements[at].tag != rest[i])
            return false;
    }
    return at == burst->count;
}

/* Where an operand lies. */
static int32_t find(const struct burst *burst, const struct addition *addition, int operand,
                    uint32_t protection, char **address)
{
    const struct hy_burst_queues *queues = burst->queues;
    const struct hy_host *host = burst->prepared->host;
    const uint32_t offset = addition->offsets[operand];
    struct hy_pool pool;
    void *base;

    int32_t status =
        queues->find_memory(queues->context, addition->slots[addition->pools[operand]], &pool);
    if (status == HY_STATUS_OK)
        status = host->map(host->context, &pool, protection, &base);
    if (status != HY_STATUS_OK)
        return status;
    if (offset > pool.size || pool.size - offset < 16)
        return HY_STATUS_INVALID_ARGUMENT;
    *address = (char *)base + offset;
    return HY_STATUS_OK;
}

/* Notices come before the request, whatever becomes of it. */
static int32_t catch_up(const struct burst *burst)
{
    const struct element *last = &burst->elements[burst->count > 0 ? burst->count - 1 : 0];

    if (last->tag != NOTICES)
        return HY_STATUS_OK;
    return burst->queues->catch_up(burst->queues->context, last->at[0]);
}

static int32_t add(const struct burst *burst)
{
    struct addition addition;
    char *at[3];
    float values[3][4];

    if (!read_addition(burst, &addition))
        return HY_STATUS_GENERAL_FAILURE;
    for (int i = 0; i < 3; i++) {
        const int32_t status =
            find(burst, &addition, i, i < 2 ? HY_PROTECT_READ : HY_PROTECT_WRITE, &at[i]);
        if (status != HY_STATUS_OK)
            return status;
    }
    memcpy(values[0], at[0], 16);
    memcpy(values[1], at[1], 16);
    for (int i = 0; i < 4; i++)
        values[2][i] = values[0][i] + values[1][i];
    memcpy(at[2], values[2], 16);
    return HY_STATUS_OK;
}

struct reply {
    uint32_t number; /* of the request */
    int32_t status;
};

/* False: serving is over. */
static bool compute_next(struct burst *burst, struct reply *ret)
{
    if (!pop_packet(burst))
        return false;
    int32_t status = catch_up(burst);
    if (status == HY_STATUS_OK)
        status = add(burst);
    burst->prepared->served++;
    *ret = (struct reply){burst->elements[0].at[4], status};
    return true;
}

static bool serve_next(struct burst *burst)
{
    struct reply first, second;

    if (!compute_next(burst, &first))
        return false;
    if (burst->prepared->pops_pairs) {
        if (!compute_next(burst, &second))
            return false;
        reply(burst, second.number, second.status);
    }
    reply(burst, first.number, first.status);
    return true;
}

int32_t serving_driver_burst_serve(void *prepared, const struct hy_burst_queues *queues, void **out)
{
    struct burst *burst = calloc(1, sizeof *burst);
    if (!burst || queues->version != 1) {
        free(burst);
        return HY_STATUS_GENERAL_FAILURE;
    }

    burst->prepared = prepared;
    burst->queues = queues;
    burst->requests = queues->requests;
    burst->results = queues->results;
    burst->request_capacity = (uint32_t)((queues->request_bytes - ELEMENTS_AT) / ELEMENT);
    burst->result_capacity = (uint32_t)((queues->result_bytes - ELEMENTS_AT) / ELEMENT);
    *out = burst;
    while (serve_next(burst))
        ;
    return HY_STATUS_OK;
}

void serving_driver_burst_release(void *burst, uint64_t pool_id)
{
    (void)pool_id;
    ((struct burst *)burst)->prepared->released++;
}

void serving_driver_burst_close(void *burst)
{
    free(burst);
}
