#include "common/operations/shape_cell.h"
#include "tests/kit/test.h"
#include "tests/kit/threads.h"

static const struct hy_shape pair = {2, {3, 4}}, list = {1, {7}};

TEST(shape_cell, empty_cell_has_no_rank_and_no_mark)
{
    static const struct hy_shape_cell cell;
    struct hy_shape shape = pair;
    uintptr_t mark = 5;

    EXPECT(hy_shape_cell_look(&cell, &shape, &mark));
    EXPECT_INT(shape.rank, 0);
    EXPECT_INT(mark, 0);
}

TEST(shape_cell, what_was_set_is_seen)
{
    static struct hy_shape_cell cell;
    struct hy_shape shape;
    uintptr_t mark;

    hy_shape_cell_set(&cell, &pair, 8);
    EXPECT(hy_shape_cell_look(&cell, &shape, &mark) && hy_shape_equal(&shape, &pair));
    EXPECT_INT(mark, 8);
    hy_shape_cell_set(&cell, NULL, 0);
    EXPECT(hy_shape_cell_look(&cell, &shape, &mark) && hy_shape_equal(&shape, &pair));
    EXPECT_INT(mark, 0);
    hy_shape_cell_set(&cell, &list, 9);
    EXPECT(hy_shape_cell_look(&cell, &shape, &mark) && hy_shape_equal(&shape, &list));
    EXPECT_INT(shape.dims[1], 0);
    EXPECT_INT(mark, 9);
}

/* ---- At once --------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 50000 };

static struct hy_shape_cell shared;
static atomic_uint mixtures, seen;

/* All of what is set together is the same number. */
static struct hy_shape shape_of(uint32_t number)
{
    struct hy_shape shape = {.rank = 1 + number % HY_MAX_RANK};

    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dims[i] = number;
    return shape;
}

static void set_and_look(void *argument)
{
    const uint32_t first = *(const uint32_t *)argument;

    for (uint32_t i = 0; i < ROUNDS / HY_SLOWNESS; i++) {
        const struct hy_shape mine = shape_of(1 + i * THREADS + first);
        struct hy_shape shape;
        uintptr_t mark;
        hy_shape_cell_set(&shared, &mine, mine.dims[0]);
        if (!hy_shape_cell_look(&shared, &shape, &mark))
            continue;
        const struct hy_shape whole = shape_of((uint32_t)mark);
        atomic_fetch_add(hy_shape_equal(&shape, &whole) ? &seen : &mixtures, 1);
    }
}

TEST(shape_cell, threads_see_no_mixture)
{
    uint32_t numbers[THREADS] = {0, 1, 2, 3};

    REQUIRE(hy_threads_run(THREADS, set_and_look, numbers, sizeof *numbers));
    EXPECT_INT(atomic_load(&mixtures), 0);
    EXPECT(atomic_load(&seen) > 0);
}
