/* How good the plans are that the search finds, and what finding them costs. */
#include "tests/kit/test.h"
#include "tests/unit/runtime/kit/plan_problem.h"

#include <math.h>
#include <stdlib.h>

enum { SEEDS = 500, MOST_OPERATIONS = 12 };

/* Sums in another order may differ by this much. */
#define ROUNDING 1e-6

static struct plan_problem_size size_of(uint64_t seed)
{
    return (struct plan_problem_size){
        .operations = 1 + (uint32_t)(seed * 7 % MOST_OPERATIONS),
        .devices = 2 + (uint32_t)(seed % 3),
    };
}

/* The plan that the search finds; its cost, with `least`, is NAN where memory lacks. */
static struct hy_search_result find(struct plan_problem *problem, struct hy_partition *partition)
{
    struct hy_search_result result = {.cost = NAN};
    const uint32_t count = problem->flow.operation_count;

    if (hy_partition_alloc(count, &problem->arena, partition, NULL) != HY_OK ||
        hy_search_run(&problem->flow, &problem->cost_model, problem->cheapest, &problem->arena,
                      partition, &result, NULL) != HY_OK)
        result.cost = NAN;
    return result;
}

TEST(planner_search, is_close_to_the_optimum_on_small_graphs)
{
    uint32_t far = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct plan_problem problem;
        struct hy_partition partition;
        REQUIRE(plan_problem_make(seed, size_of(seed), &problem));
        const double least = problem.cost_model.least;
        const double cost = find(&problem, &partition).cost;
        const double optimum = least + plan_problem_optimum(&problem, cost - least);
        if (!(cost <= 1.2 * optimum))
            hy_test_fail(__FILE__, __LINE__, "seed %llu: cost %g, optimum %g",
                         (unsigned long long)seed, cost, optimum);
        far += cost > 1.05 * optimum;
        plan_problem_finish(&problem);
    }
    EXPECT(far <= SEEDS / 20);
}

/* The choice of each operation for itself, and each device with all that it takes. */
TEST(planner_search, never_costs_more_than_a_simpler_planner)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct plan_problem problem;
        struct hy_partition partition;
        const struct plan_problem_size size = {1 + (uint32_t)(seed % 90), 2 + (uint32_t)(seed % 5)};
        REQUIRE(plan_problem_make(seed, size, &problem));
        const double cost = find(&problem, &partition).cost - problem.cost_model.least;
        double simple = plan_problem_cost(&problem, problem.cheapest);
        for (uint32_t device = 0; device < size.devices; device++) {
            uint32_t device_of[90];
            for (uint32_t i = 0; i < size.operations; i++)
                device_of[i] = hy_cost_model_extra(&problem.cost_model, device, i) < INFINITY
                                   ? device
                                   : problem.cheapest[i];
            simple = fmin(simple, plan_problem_cost(&problem, device_of));
        }
        if (!(cost <= simple * (1 + ROUNDING) + ROUNDING))
            hy_test_fail(__FILE__, __LINE__, "seed %llu: cost %g, a simpler plan %g",
                         (unsigned long long)seed, cost, simple);
        plan_problem_finish(&problem);
    }
}

/* Every operation once, behind all that it reads, on a device that takes it; and the cost is that
 * of the partition. */
static const char *find_fault(struct plan_problem *problem, struct hy_partition *partition,
                              double cost)
{
    const struct hy_flow *flow = &problem->flow;
    uint32_t *mark = calloc(flow->operand_count, sizeof *mark);
    bool *is_done = calloc(flow->operation_count, sizeof *is_done);
    const char *fault = NULL;

    for (uint32_t i = 0; !fault && i < flow->operation_count; i++) {
        const uint32_t operation = partition->operations[i];
        if (is_done[operation])
            fault = "an operation stands twice";
        is_done[operation] = true;
        if (hy_cost_model_extra(&problem->cost_model, partition->device_of[operation], operation) ==
            INFINITY)
            fault = "an operation is where it cannot run";
        for (uint32_t j = flow->read_first[operation]; j < flow->read_first[operation + 1]; j++) {
            const uint32_t writer = flow->writer[flow->reads[j]];
            if (writer != HY_NO_OPERATION && !is_done[writer])
                fault = "an operation comes before one that it reads from";
        }
    }
    for (uint32_t step = 0; !fault && step < partition->step_count; step++) {
        for (uint32_t i = partition->first[step]; i < partition->first[step + 1]; i++) {
            const uint32_t operation = partition->operations[i];
            if (partition->step_of[operation] != step ||
                partition->device_of[operation] != hy_partition_device(partition, step))
                fault = "a step with operations of others";
        }
    }
    const double whole = problem->cost_model.least +
                         hy_partition_cost(partition, flow, &problem->cost_model, INFINITY, mark);
    if (!fault && !(fabs(whole - cost) <= ROUNDING * whole))
        fault = "a cost that is not the partition's";
    free(is_done);
    free(mark);
    return fault;
}

TEST(planner_search, gives_steps_that_can_run)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct plan_problem problem;
        struct hy_partition partition;
        const struct plan_problem_size size = {1 + (uint32_t)(seed % 200),
                                               1 + (uint32_t)(seed % 8)};
        REQUIRE(plan_problem_make(seed, size, &problem));
        const double cost = find(&problem, &partition).cost;
        const char *fault = find_fault(&problem, &partition, cost);
        if (fault)
            hy_test_fail(__FILE__, __LINE__, "seed %llu: %s", (unsigned long long)seed, fault);
        plan_problem_finish(&problem);
    }
}

TEST(planner_search, work_is_linear_in_operations)
{
    static const uint32_t sizes[] = {3000, 30000};

    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t visited[2] = {0};
        for (int i = 0; i < 2; i++) {
            struct plan_problem problem;
            struct hy_partition partition;
            const struct plan_problem_size size = {.operations = sizes[i], .devices = 8};
            REQUIRE(plan_problem_make(seed, size, &problem));
            visited[i] = find(&problem, &partition).visited;
            plan_problem_finish(&problem);
        }
        if (visited[1] > 12 * visited[0])
            hy_test_fail(__FILE__, __LINE__, "seed %llu: %llu visits, then %llu",
                         (unsigned long long)seed, (unsigned long long)visited[0],
                         (unsigned long long)visited[1]);
        EXPECT(visited[0] < 200 * (uint64_t)sizes[0]);
    }
}

/* ---- Graphs made by hand --------------------------------------------------------------------- */

/* A chain of five operations of 10 on device 0, launch 1; the middle one costs `there` on device 1,
 * which has a launch of 4 and takes 0.5 for each of the 4 bytes between operations. */
static struct hy_search_result plan_island(double there, struct plan_problem *problem,
                                           struct hy_partition *partition)
{
    enum { LENGTH = 5, MIDDLE = 2 };
    static const uint32_t bytes[] = {4};
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5};
    struct hy_operand operands[LENGTH + 1];
    struct hy_operation operations[LENGTH];
    const struct hy_subgraph graph = {.operand_count = LENGTH + 1,
                                      .operation_count = LENGTH,
                                      .operands = operands,
                                      .operations = operations};
    static double extra[2 * LENGTH], launch[2] = {1, 4}, byte[2] = {0, .5};
    static uint32_t ranking[2] = {0, 1}, cheapest[LENGTH];

    for (uint32_t i = 0; i <= LENGTH; i++)
        operands[i] = (struct hy_operand){.type = 5, /* TENSOR_QUANT8_ASYMM */
                                          .lifetime = i == 0        ? HY_LIFETIME_INPUT
                                                      : i == LENGTH ? HY_LIFETIME_OUTPUT
                                                                    : HY_LIFETIME_TEMPORARY,
                                          .rank = 1,
                                          .dims = bytes};
    for (uint32_t i = 0; i < LENGTH; i++) {
        operations[i] = (struct hy_operation){
            .input_count = 1, .output_count = 1, .inputs = &numbers[i], .outputs = &numbers[i + 1]};
        extra[2 * i] = i == MIDDLE ? 10 - there : 0;
        extra[2 * i + 1] = i == MIDDLE ? 0 : INFINITY;
        cheapest[i] = i == MIDDLE;
    }
    *problem = (struct plan_problem){
        .cost_model = {.device_count = 2,
                       .operation_count = LENGTH,
                       .least = 40 + there,
                       .extra = extra,
                       .launch = launch,
                       .byte = byte,
                       .ranking = ranking},
        .cheapest = cheapest,
    };
    if (hy_flow_make(&graph, &problem->arena, &problem->flow, NULL) != HY_OK)
        return (struct hy_search_result){.cost = NAN};
    return find(problem, partition);
}

/* Leaving and coming back costs 4 + 1 for launches and 8 * 0.5 for bytes: 9. */
TEST(planner_search, islands_are_made_only_where_they_pay)
{
    struct plan_problem problem;
    struct hy_partition partition;

    EXPECT(plan_island(1.5, &problem, &partition).cost == 51);
    EXPECT_INT(partition.step_count, 1);
    plan_problem_finish(&problem);
    EXPECT(plan_island(.5, &problem, &partition).cost == 50.5);
    EXPECT_INT(partition.step_count, 3);
    plan_problem_finish(&problem);
}

TEST(planner_search, of_equal_plans_the_one_with_fewer_steps_wins)
{
    struct plan_problem problem;
    struct hy_partition partition;

    EXPECT(plan_island(1, &problem, &partition).cost == 51);
    EXPECT_INT(partition.step_count, 1);
    plan_problem_finish(&problem);
}
