/* Tokens of objects. */
#include "driver_kit/token_table.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

#include <stdlib.h>

/* Any address will do for an object. */
static void *numbered(uintptr_t number)
{
    return (void *)number;
}

static struct hy_token_table table_of(uint32_t capacity)
{
    struct hy_token_table table = {.capacity = capacity};

    EXPECT(hy_token_table_reserve(&table));
    return table;
}

static uint32_t add(struct hy_token_table *table, uintptr_t number)
{
    uint32_t token = 0;

    EXPECT(hy_token_table_add(table, numbered(number), &token));
    EXPECT(token > 0);
    return token;
}

TEST(token_table, token_finds_its_object_until_that_is_removed)
{
    struct hy_token_table table = table_of(HY_TOKEN_TABLE_LIMIT);

    EXPECT(!hy_token_table_hold(&table, 65536));
    const uint32_t one = add(&table, 64), other = add(&table, 128);
    EXPECT(one != other);
    EXPECT(hy_token_table_hold(&table, one) == numbered(64));
    EXPECT(hy_token_table_hold(&table, other) == numbered(128));
    EXPECT(!hy_token_table_hold(&table, 0));
    EXPECT(!hy_token_table_release(&table, other));
    EXPECT(hy_token_table_remove(&table, other));
    EXPECT(!hy_token_table_hold(&table, other));
    EXPECT(!hy_token_table_remove(&table, one)); /* it is held */
    EXPECT(!hy_token_table_hold(&table, one));
    EXPECT(hy_token_table_release(&table, one));
    hy_token_table_finish(&table);
}

TEST(token_table, without_slots_no_token_names_anything)
{
    struct hy_token_table table = {.capacity = 4};

    EXPECT(!hy_token_table_hold(&table, 65536));
    hy_token_table_finish(&table);
}

TEST(token_table, capacity_limits_live_objects_and_names_of_slots)
{
    struct hy_token_table table = table_of(2);
    const uint32_t one = add(&table, 64), other = add(&table, 128);
    uint32_t token = 0;

    EXPECT(!hy_token_table_add(&table, numbered(192), &token));
    EXPECT(!hy_token_table_hold(&table, 65536 + 2)); /* slot 2 of 2 */
    EXPECT(!hy_token_table_hold(&table, 65536 + 65535));
    EXPECT(hy_token_table_remove(&table, one));
    token = add(&table, 192);
    EXPECT(hy_token_table_hold(&table, token) == numbered(192));
    EXPECT(!hy_token_table_remove(&table, token));
    EXPECT(hy_token_table_release(&table, token));
    EXPECT(hy_token_table_remove(&table, other));
    hy_token_table_finish(&table);
}

TEST(token_table, slot_whose_tokens_are_spent_rests)
{
    struct hy_token_table table = table_of(HY_TOKEN_TABLE_LIMIT);
    const uint32_t first = add(&table, 64);
    uint32_t token = first;

    for (uint32_t i = 1; i < 65535; i++) {
        EXPECT(hy_token_table_remove(&table, token));
        const uint32_t next = add(&table, 64);
        if (next != token + 65536)
            hy_test_fail(__FILE__, __LINE__, "token %u after %u", next, token);
        token = next;
    }
    EXPECT(hy_token_table_remove(&table, token));
    token = add(&table, 64); /* in the next slot */
    EXPECT_INT(token, first + 1);
    EXPECT(!hy_token_table_hold(&table, first));
    EXPECT(hy_token_table_remove(&table, token));
    hy_token_table_finish(&table);
}

TEST(token_table, tokens_run_out_with_the_slots_and_come_back)
{
    struct hy_token_table table = table_of(HY_TOKEN_TABLE_LIMIT);
    uint32_t *tokens = calloc(HY_TOKEN_TABLE_LIMIT, sizeof *tokens), token = 7;

    REQUIRE(tokens != NULL);
    for (uint32_t i = 0; i < HY_TOKEN_TABLE_LIMIT; i++) {
        if (!hy_token_table_add(&table, numbered(64 + i), &tokens[i]))
            hy_test_fail(__FILE__, __LINE__, "no token for object %u", i);
    }
    EXPECT(!hy_token_table_add(&table, numbered(64), &token));
    EXPECT_INT(token, 7);
    EXPECT(hy_token_table_remove(&table, tokens[1234]));
    token = add(&table, 32);
    EXPECT_INT(token, tokens[1234] + 65536);
    for (uint32_t i = 0; i < HY_TOKEN_TABLE_LIMIT; i++) {
        if (!hy_token_table_remove(&table, i == 1234 ? token : tokens[i]))
            hy_test_fail(__FILE__, __LINE__, "object %u is not free", i);
    }
    hy_token_table_finish(&table);
    free(tokens);
}

/* ---- At once --------------------------------------------------------------------------------- */

enum { THREADS = 4, SHARED = 16, ROUNDS = 20000 };

static struct {
    struct hy_token_table table;
    atomic_uint_least32_t tokens[SHARED]; /* for others to look up; 0: none */
    atomic_uint wrong, live;
} crowd;

/* What an object is here: its own token, as long as it lives. */
struct resident {
    atomic_uint_least32_t token;
};

static void leave(struct resident *resident)
{
    atomic_store(&resident->token, 0);
    atomic_fetch_sub(&crowd.live, 1);
    free(resident);
}

static void come_and_go(uint32_t position)
{
    struct resident *resident = calloc(1, sizeof *resident);
    uint32_t token;

    if (!resident || !hy_token_table_add(&crowd.table, resident, &token)) {
        atomic_fetch_add(&crowd.wrong, 1);
        free(resident);
        return;
    }
    atomic_fetch_add(&crowd.live, 1);
    atomic_store(&resident->token, token);
    const uint32_t other = atomic_exchange(&crowd.tokens[position], token);
    struct resident *old = other ? hy_token_table_hold(&crowd.table, other) : NULL;
    if (other && !old)
        atomic_fetch_add(&crowd.wrong, 1); /* nobody else removes it */
    if (old && hy_token_table_remove(&crowd.table, other))
        leave(old);
    if (old && hy_token_table_release(&crowd.table, other))
        leave(old);
}

static void look_up(uint32_t position)
{
    const uint32_t token = atomic_load(&crowd.tokens[position]);
    struct resident *resident = token ? hy_token_table_hold(&crowd.table, token) : NULL;

    if (!resident)
        return;
    if (atomic_load(&resident->token) != token)
        atomic_fetch_add(&crowd.wrong, 1);
    if (hy_token_table_release(&crowd.table, token))
        leave(resident);
}

static void crowd_part(void *argument)
{
    const uint32_t number = *(const uint32_t *)argument;

    for (uint32_t i = 0; i < ROUNDS / HY_SLOWNESS; i++) {
        if (i % 4 == 0)
            come_and_go((i + number * 5) % SHARED);
        else
            look_up((i * 7 + number) % SHARED);
    }
}

TEST(token_table, threads_find_the_right_object_or_none)
{
    uint32_t numbers[THREADS] = {0, 1, 2, 3};

    crowd.table = table_of(HY_TOKEN_TABLE_LIMIT);
    REQUIRE(hy_threads_run(THREADS, crowd_part, numbers, sizeof *numbers));
    EXPECT_INT(atomic_load(&crowd.wrong), 0);
    for (uint32_t i = 0; i < SHARED; i++) {
        const uint32_t token = atomic_load(&crowd.tokens[i]);
        struct resident *resident = token ? hy_token_table_hold(&crowd.table, token) : NULL;
        if (resident && !hy_token_table_remove(&crowd.table, token) &&
            hy_token_table_release(&crowd.table, token))
            leave(resident);
    }
    EXPECT_INT(atomic_load(&crowd.live), 0);
    hy_token_table_finish(&crowd.table);
}
