/*
 * plan_quality: how far the plans of the search are above the cheapest choice of devices, on random
 * graphs, as a Markdown table. Above HY_SEARCH_SMALL operations the search has its linear passes
 * alone.
 *
 *     plan_quality
 */
#include "plan_problem.h"

#include <stdio.h>

struct row {
    uint32_t fewest, most; /* operations */
    uint32_t seeds;
};

struct quality {
    uint32_t above_5, above_20; /* percent */
    uint32_t simple_above_5;    /* the cheapest device for each operation by itself */
    double worst;
};

static bool evaluate(uint64_t seed, uint32_t operations, struct quality *quality)
{
    const struct plan_problem_size size = {operations, 2 + (uint32_t)(seed % 3)};
    struct plan_problem problem;
    struct hy_partition partition;
    struct hy_search_result result;
    if (!plan_problem_make(seed, size, &problem))
        return false;

    const bool is_found =
        hy_partition_alloc(operations, &problem.arena, &partition, NULL) == HY_OK &&
        hy_search_run(&problem.flow, &problem.cost_model, problem.cheapest, &problem.arena,
                      &partition, &result, NULL) == HY_OK;
    if (is_found) {
        const double least = problem.cost_model.least;
        const double best = least + plan_problem_optimum(&problem, result.cost - least);
        const double simple = least + plan_problem_cost(&problem, problem.cheapest);
        quality->above_5 += result.cost > 1.05 * best;
        quality->above_20 += result.cost > 1.2 * best;
        quality->simple_above_5 += simple > 1.05 * best;
        if (result.cost > quality->worst * best)
            quality->worst = result.cost / best;
    }
    plan_problem_finish(&problem);
    return is_found;
}

int main(void)
{
    static const struct row rows[] = {{1, 12, 20000}, {12, 12, 20000}, {17, 18, 1000}};

    puts("| operations | seeds | more than 5 % above | more than 20 % above | worst | each "
         "operation "
         "by itself: more than 5 % above |\n|---|--:|--:|--:|--:|--:|");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct quality quality = {.worst = 1};
        for (uint32_t seed = 1; seed <= rows[i].seeds; seed++) {
            const uint32_t spread = rows[i].most - rows[i].fewest + 1;
            if (!evaluate(seed, rows[i].fewest + seed * 7 % spread, &quality))
                return 1;
        }
        printf("| %u to %u | %u | %u | %u | %.2f | %u |\n", rows[i].fewest, rows[i].most,
               rows[i].seeds, quality.above_5, quality.above_20, quality.worst,
               quality.simple_above_5);
    }
    return 0;
}
