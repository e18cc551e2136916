/*
 * A burst served on the raw queues, by what docs/queue-format.md said of version 1. Whatever lies
 * in the rings is copied first, then checked, then used.
 */
#include "frozen.h"

#include <stdlib.h>

enum {
    ELEMENT = 24,
    WRITTEN_AT = 64,
    READ_AT = 128,
    ELEMENTS_AT = 256,
    MOST_ELEMENTS = 512, /* of a request that this driver takes */
    MOST_POOLS = 64
};

enum { PACKET, INPUT, INPUT_DIM, OUTPUT, OUTPUT_DIM, SLOT, MEASURE, REST, BUFFER, LIMITS, NOTICES };

struct element {
    uint8_t tag;
    uint8_t zero[3];
    uint32_t at[5]; /* the union of a request, as words */
};

struct served {
    const struct hy_burst_queues *queues;
    char *requests, *results;
    uint32_t request_capacity, result_capacity;
    uint32_t read, written;
    struct element elements[MOST_ELEMENTS]; /* of the request, private */
    uint32_t count;
    uint64_t served; /* requests so far */
    struct hy_argument arguments[2 * MOST_ARGUMENTS];
    uint32_t dims[2 * MOST_ARGUMENTS * MAX_RANK];
    struct hy_pool pools[MOST_POOLS];
    struct hy_output_shape shapes[MOST_ARGUMENTS];
    struct hy_result result;
};

static _Atomic uint32_t *word(char *ring, uint32_t at)
{
    return (_Atomic uint32_t *)(void *)(ring + at);
}

/* ---- Taking a packet ------------------------------------------------------------------------- */

static void copy_element(char *ring, uint32_t capacity, uint32_t index, struct element *element)
{
    _Atomic uint64_t *from =
        (_Atomic uint64_t *)(void *)(ring + ELEMENTS_AT + (size_t)(index % capacity) * ELEMENT);
    uint64_t words[3];
    for (int i = 0; i < 3; i++)
        words[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
    memcpy(element, words, sizeof words);
}

/* The next packet. False: serving is over. One that this driver does not take has a count of 0. */
static bool take_packet(struct served *served)
{
    const struct hy_burst_queues *queues = served->queues;
    if (queues->wait(queues->context, served->read) != HY_STATUS_OK)
        return false;
    const uint32_t fill =
        atomic_load_explicit(word(served->requests, WRITTEN_AT), memory_order_acquire) -
        served->read;
    if (fill == 0 || fill > served->request_capacity)
        return false;
    copy_element(served->requests, served->request_capacity, served->read, served->elements);
    const uint32_t claimed = served->elements[0].at[0];
    if (served->elements[0].tag != PACKET || claimed == 0 || claimed > fill)
        return false;
    served->count = claimed <= MOST_ELEMENTS ? claimed : 0;
    for (uint32_t i = 1; i < served->count; i++)
        copy_element(served->requests, served->request_capacity, served->read + i,
                     &served->elements[i]);
    served->read += claimed;
    atomic_store_explicit(word(served->requests, READ_AT), served->read, memory_order_release);
    queues->wake(queues->context);
    return true;
}

/* ---- Reading it ------------------------------------------------------------------------------ */

struct reader {
    struct served *served;
    uint32_t at, dim_count;
    bool is_good;
};

static const struct element *next(struct reader *reader, uint8_t tag)
{
    static const struct element none;
    const struct served *served = reader->served;
    if (reader->at < served->count && served->elements[reader->at].tag == tag)
        return &served->elements[reader->at++];
    reader->is_good = false;
    return &none;
}

static bool comes(const struct reader *reader, uint8_t tag)
{
    return reader->at < reader->served->count && reader->served->elements[reader->at].tag == tag;
}

static void read_argument(struct reader *reader, uint8_t tag, struct hy_argument *argument)
{
    const struct element *element = next(reader, tag);
    *argument = (struct hy_argument){
        .flags = element->at[0] & 0xff ? HY_ARGUMENT_NO_VALUE : 0,
        .rank = element->at[4],
        .dims = &reader->served->dims[reader->dim_count],
        .location = {.pool = element->at[1], .offset = element->at[2], .length = element->at[3]}};
    if (comes(reader, REST)) {
        const struct element *rest = next(reader, REST);
        argument->location.offset |= (uint64_t)rest->at[0] << 32;
        argument->location.length |= (uint64_t)rest->at[1] << 32;
        argument->location.padding = rest->at[2];
    }
    if (argument->rank > MAX_RANK)
        reader->is_good = false;
    for (uint32_t i = 0; i < argument->rank && reader->is_good; i++)
        reader->served->dims[reader->dim_count++] = next(reader, tag + 1)->at[0];
    if (argument->rank == 0)
        argument->dims = NULL;
}

static int32_t read_pool(struct reader *reader, struct hy_pool *pool)
{
    const struct hy_burst_queues *queues = reader->served->queues;
    if (comes(reader, BUFFER)) {
        *pool = (struct hy_pool){
            .kind = HY_POOL_BUFFER, .fd = -1, .buffer_token = next(reader, BUFFER)->at[0]};
        return HY_STATUS_OK;
    }
    const int32_t slot = (int32_t)next(reader, SLOT)->at[0];
    return reader->is_good ? queues->find_memory(queues->context, slot, pool)
                           : HY_STATUS_GENERAL_FAILURE;
}

/* Inputs, outputs, memories, the measure, the limits, and maybe notices, which have been read. */
static int32_t read_request(struct served *served, const struct program *program,
                            struct hy_request *request, struct hy_run_options *options)
{
    struct reader reader = {.served = served, .at = 1, .is_good = served->count > 0};
    const struct element *packet = &served->elements[0];
    int32_t status = HY_STATUS_OK;
    if (served->count == 0 || packet->at[1] != program->input_count ||
        packet->at[2] != program->output_count || packet->at[3] > MOST_POOLS)
        return HY_STATUS_GENERAL_FAILURE;
    *request = (struct hy_request){.struct_size = sizeof *request,
                                   .input_count = packet->at[1],
                                   .output_count = packet->at[2],
                                   .pool_count = packet->at[3],
                                   .inputs = served->arguments,
                                   .outputs = served->arguments + packet->at[1],
                                   .pools = served->pools};
    for (uint32_t i = 0; i < request->input_count; i++)
        read_argument(&reader, INPUT, &served->arguments[i]);
    for (uint32_t i = 0; i < request->output_count; i++)
        read_argument(&reader, OUTPUT, &served->arguments[request->input_count + i]);
    for (uint32_t i = 0; i < request->pool_count && status == HY_STATUS_OK; i++)
        status = read_pool(&reader, &served->pools[i]);
    if (status != HY_STATUS_OK)
        return status;
    *options = (struct hy_run_options){.struct_size = sizeof *options, .deadline = HY_NO_DEADLINE};
    options->measure = next(&reader, MEASURE)->at[0] == 1;
    if (comes(&reader, LIMITS)) {
        const struct element *limits = next(&reader, LIMITS);
        options->deadline = (int64_t)((uint64_t)limits->at[1] << 32 | limits->at[0]);
        options->loop_timeout = (uint64_t)limits->at[3] << 32 | limits->at[2];
    }
    if (comes(&reader, NOTICES))
        (void)next(&reader, NOTICES);
    return reader.is_good && reader.at == served->count ? HY_STATUS_OK : HY_STATUS_GENERAL_FAILURE;
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* A request at a time: there is room for its answer. */
static void put(struct served *served, const uint32_t element[6])
{
    memcpy(served->results + ELEMENTS_AT +
               (size_t)(served->written++ % served->result_capacity) * ELEMENT,
           element, ELEMENT);
}

static void answer(struct served *served, int32_t status)
{
    const bool has_shapes = status == HY_STATUS_OK || status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE;
    const uint32_t outputs = has_shapes ? served->result.output_count : 0;
    uint32_t elements = 2 + outputs;
    for (uint32_t i = 0; i < outputs; i++)
        elements += served->shapes[i].rank;
    put(served, (uint32_t[6]){0, 0, elements, (uint32_t)status, outputs,
                              served->elements[0].at[4]}); /* the number of the request */
    for (uint32_t i = 0; i < outputs; i++) {
        const struct hy_output_shape *shape = &served->shapes[i];
        put(served, (uint32_t[6]){1, 0, shape->sufficient, shape->rank});
        for (uint32_t k = 0; k < shape->rank; k++)
            put(served, (uint32_t[6]){2, 0, shape->dims[k]});
    }
    uint64_t times[3] = {3, served->result.time_on_device, served->result.time_in_driver};
    uint32_t words[6];
    memcpy(words, times, sizeof words);
    put(served, words);
    atomic_store_explicit(word(served->results, WRITTEN_AT), served->written, memory_order_release);
    served->queues->wake(served->queues->context);
}

/* Notices come before the request, whatever becomes of it. */
static int32_t catch_up(const struct served *served)
{
    const struct element *last = &served->elements[served->count > 0 ? served->count - 1 : 0];
    if (last->tag != NOTICES)
        return HY_STATUS_OK;
    return served->queues->catch_up(served->queues->context, last->at[0]);
}

/* This device has no clock of its own: its time tells, in nanoseconds, the how manyth request of
 * the burst this was, which only an answer that comes from here can. */
static void count(struct served *served)
{
    struct hy_result *result = &served->result;
    served->served++;
    if (result->time_on_device == HY_NO_TIME)
        return;
    result->time_on_device = served->served;
    if (result->time_in_driver < served->served)
        result->time_in_driver = served->served;
}

static int32_t serve_one(struct served *served, struct prepared *prepared)
{
    struct hy_request request;
    struct hy_run_options options;
    served->result = (struct hy_result){.struct_size = sizeof served->result,
                                        .output_count = prepared->program.output_count,
                                        .outputs = served->shapes,
                                        .time_on_device = HY_NO_TIME,
                                        .time_in_driver = HY_NO_TIME};
    int32_t status = catch_up(served);
    if (status == HY_STATUS_OK)
        status = read_request(served, &prepared->program, &request, &options);
    if (status == HY_STATUS_OK)
        status = frozen_execute(prepared, &request, &options, &served->result);
    count(served);
    return status;
}

int32_t frozen_burst_serve(void *prepared, const struct hy_burst_queues *queues, void **burst)
{
    if (!HY_REACHES(queues, wake) || queues->version != 1)
        return HY_STATUS_GENERAL_FAILURE;
    struct served *served = calloc(1, sizeof *served);
    if (!served || frozen_burst_open(prepared, burst) != HY_STATUS_OK) {
        free(served);
        return HY_STATUS_GENERAL_FAILURE;
    }
    served->queues = queues;
    served->requests = queues->requests;
    served->results = queues->results;
    served->request_capacity = (uint32_t)((queues->request_bytes - ELEMENTS_AT) / ELEMENT);
    served->result_capacity = (uint32_t)((queues->result_bytes - ELEMENTS_AT) / ELEMENT);
    while (take_packet(served))
        answer(served, serve_one(served, prepared));
    free(served);
    return HY_STATUS_OK;
}
