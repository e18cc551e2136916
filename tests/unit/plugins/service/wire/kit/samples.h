#ifndef HY_TESTS_WIRE_SAMPLES_H
#define HY_TESTS_WIRE_SAMPLES_H

#include "common/memory/arena.h"
#include "common/random.h"
#include "halyard/driver.h"
#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/describe.h"
#include "plugins/service/wire/fields.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_cache.h"
#include "plugins/service/wire/wire_model.h"
#include "plugins/service/wire/wire_request.h"

/*
 * Random well-formed values for every body, with all optional parts. The values have no meaning.
 * Descriptors are numbers above 1000 and are never opened. Ends the program if out of memory.
 */
struct hy_wire_samples {
    struct hy_random chance;
    struct hy_arena arena;
};

uint32_t hy_wire_below(struct hy_wire_samples *samples, uint32_t limit);
int32_t hy_wire_fd(struct hy_wire_samples *samples);
const char *hy_wire_text(struct hy_wire_samples *samples);

/* Zeroed memory for `count` elements; NULL for 0. */
void *hy_wire_alloc(struct hy_wire_samples *samples, uint32_t count, size_t size);

/* Fills a zeroed struct according to its rows. */
void hy_wire_random(struct hy_wire_samples *samples, hy_fields *rows, void *value);

struct hy_pool hy_wire_pool(struct hy_wire_samples *samples);

/* A pool with an id and a descriptor, for MEMORY_ADD. */
struct hy_pool hy_wire_memory(struct hy_wire_samples *samples);

const struct hy_extension_prefix *hy_wire_prefixes(struct hy_wire_samples *samples, uint32_t count);
const struct hy_model *hy_wire_model(struct hy_wire_samples *samples);
struct hy_supported_ops_reply hy_wire_supported_ops_reply(struct hy_wire_samples *samples,
                                                          uint32_t operation_count);

struct hy_prepare_options hy_wire_prepare_options(struct hy_wire_samples *samples);
struct hy_run_options hy_wire_run_options(struct hy_wire_samples *samples);
struct hy_request hy_wire_request(struct hy_wire_samples *samples);
struct hy_result hy_wire_result(struct hy_wire_samples *samples, uint32_t output_count);
struct hy_fenced_result hy_wire_fenced_result(struct hy_wire_samples *samples);

struct hy_description hy_wire_description(struct hy_wire_samples *samples);

/* The description's prepared models are sent as the ids 1000 + index. */
struct hy_buffer_desc hy_wire_buffer_desc(struct hy_wire_samples *samples, const uint64_t **ids);

#endif
