#include "tests/kit/test.h"

#include "plugins/service/wire/buffers.h"
#include "plugins/service/wire/bursts.h"
#include "plugins/service/wire/options.h"
#include "plugins/service/wire/reply.h"
#include "plugins/service/wire/session.h"
#include "plugins/service/wire/wire_cache.h"
#include "tests/unit/plugins/service/wire/kit/round_trip.h"

#include <stdalign.h>
#include <stddef.h>

/* What the rows of a struct say holds, whatever the struct. */

#define ROWS(name) \
    { \
#name, hy_##name##_fields \
    }

static const struct rows {
    const char *name;
    hy_fields *fields;
} all[] = {
    ROWS(hello),           ROWS(opening),        ROWS(log_line),
    ROWS(deadline),        ROWS(unknown_memory), ROWS(description),
    ROWS(prepare_options), ROWS(run_options),    ROWS(named_buffer_desc),
    ROWS(created_buffer),  ROWS(buffer_copy),    ROWS(burst_slot),
    ROWS(cache_update),    ROWS(cache_commit),
};

/* Reads a struct by chance with `number` at byte `at`. */
static void expect_refused(const struct rows *rows, const struct hy_field *field, size_t at,
                           uint64_t number)
{
    alignas(max_align_t) uint8_t value[512] = {0}, back[512] = {0};
    struct round_trip round_trip;
    char expected[128];

    snprintf(expected, sizeof expected, field->refusal, (unsigned long long)number,
             (unsigned long long)field->most);
    round_trip_open(&round_trip, 3);
    hy_wire_random(&round_trip.samples, rows->fields, value);
    hy_fields_pack(&round_trip.pack, rows->fields, value);
    memcpy(round_trip.pack.bytes + at, &number, field->width);
    round_trip_start_reading(&round_trip);
    hy_fields_unpack(&round_trip.in, rows->fields, back);
    round_trip_expect_refused(&round_trip, expected);
    round_trip_close(&round_trip);
}

static bool fits(const struct hy_field *field, uint64_t number)
{
    return field->width == 8 || number >> (8 * field->width) == 0;
}

/* Those of the first record, which has all limits there are. */
static int count_refused(const struct rows *rows)
{
    int count = 0;
    size_t at = 0;

    for (const struct hy_field *field = rows->fields(); field->kind != HY_FIELD_END; field++) {
        if (field->refusal && field->most != UINT64_MAX && fits(field, field->most + 1)) {
            expect_refused(rows, field, at, field->most + 1);
            count++;
        }
        if (field->refusal && field->kind == HY_FIELD_UNSIGNED && field->least > 0) {
            expect_refused(rows, field, at, field->least - 1);
            count++;
        }
        if (field->refusal && field->kind == HY_FIELD_SIGNED && field->width == 8) {
            expect_refused(rows, field, at, field->least - 1);
            count++;
        }
        at += field->kind == HY_FIELD_SIZE ? 0 : field->width;
    }
    return count;
}

TEST(wire_fields, number_beyond_its_limit_is_refused_with_its_words)
{
    int count = 0;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        count += count_refused(&all[i]);
    EXPECT(count >= 25);
}

TEST(wire_fields, count_of_more_than_32_bits_is_refused)
{
    const uint64_t numbers[] = {0, 0, 0, 0, 0, 0, UINT64_C(1) << 32};
    struct hy_capabilities back = {0};
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_pack_copy(&round_trip.pack, numbers, 7, sizeof numbers[0]);
    round_trip_start_reading(&round_trip);
    hy_fields_unpack(&round_trip.in, hy_capabilities_fields, &back);
    round_trip_expect_refused(&round_trip, "records of 12 bytes");
    round_trip_close(&round_trip);
}

TEST(wire_fields, value_stays_as_it_was_when_its_body_is_refused)
{
    struct hy_cache_commit commit = {.update = 5, .keep = 1};
    struct round_trip round_trip;

    round_trip_open(&round_trip, 0);
    hy_cache_commit_pack(&round_trip.pack, &(struct hy_cache_commit){.update = 6, .keep = 2});
    round_trip_start_reading(&round_trip);
    hy_cache_commit_unpack(&round_trip.in, &commit);
    round_trip_expect_refused(&round_trip, "keep is 2");
    EXPECT_INT(commit.update, 5);
    EXPECT_INT(commit.keep, 1);
    round_trip_close(&round_trip);
}
