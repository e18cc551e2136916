#include "tools/vectors/groups.h"

#include <stdlib.h>

#include "common/random.h"

struct card {
    uint64_t class;
    uint64_t rank; /* by chance */
    uint32_t test;
};

static int compare_cards(const void *a, const void *b)
{
    const struct card *left = a, *right = b;
    if (left->class != right->class)
        return left->class < right->class ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return left->test < right->test ? -1 : left->test > right->test;
}

/* How many of the cards that follow make a group. */
static uint32_t cut(const struct card *cards, uint32_t left, struct hy_random *chance)
{
    if (cards[0].class == HY_MERGE_ALONE)
        return 1;
    const uint32_t most =
        HY_GROUP_LEAST + hy_random_below(chance, HY_GROUP_MOST - HY_GROUP_LEAST + 1);
    uint32_t count = 1;
    while (count < left && count < most && cards[count].class == cards[0].class)
        count++;
    return count;
}

static void shuffle(const struct hy_vector *const *tests, uint32_t count, uint64_t seed,
                    struct card *cards)
{
    for (uint32_t i = 0; i < count; i++)
        cards[i] = (struct card){hy_merge_class(tests[i]), hy_random_mix(seed, i), i};
    qsort(cards, count, sizeof *cards, compare_cards);
}

enum hy_code hy_vector_groups_make(const struct hy_vector *const *tests, uint32_t count,
                                   uint64_t seed, struct hy_arena *arena,
                                   struct hy_vector_groups *out, struct hy_error *err)
{
    struct hy_random chance = {seed};
    struct card *cards = hy_arena_alloc(arena, (count + 1) * sizeof *cards);
    *out = (struct hy_vector_groups){
        .first = hy_arena_alloc(arena, (count + 1) * sizeof *out->first),
        .tests = hy_arena_alloc(arena, (count + 1) * sizeof *out->tests),
    };
    if (!cards || !out->first || !out->tests)
        return hy_fail(err, HY_OUT_OF_MEMORY, "groups of %u tests", count);

    shuffle(tests, count, seed, cards);
    for (uint32_t i = 0; i < count; out->count++) {
        out->first[out->count] = i;
        i += cut(cards + i, count - i, &chance);
    }
    out->first[out->count] = count;
    for (uint32_t i = 0; i < count; i++)
        out->tests[i] = cards[i].test;
    return HY_OK;
}
