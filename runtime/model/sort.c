#include "sort.h"

#include "runtime/extension/code_text.h"

#include <stdlib.h>

enum mark { UNSEEN, WAITING, DONE };

/* An operation that waits for the producers of its inputs, and the next input to check. */
struct visit {
    uint32_t operation;
    uint32_t next_input;
};

/* A depth-first search along the inputs. The stack is on the heap, as apps decide its depth. */
struct walk {
    const struct hy_operation *operations;
    const uint32_t *producers;
    uint8_t *marks;      /* one per operation */
    struct visit *stack; /* holds each operation at most once */
    uint32_t depth;
    uint32_t *order;
    uint32_t ordered;
};

static void enter(struct walk *walk, uint32_t operation)
{
    walk->marks[operation] = WAITING;
    walk->stack[walk->depth++] = (struct visit){.operation = operation};
}

/* The next operation that `visit` must wait for, or HY_NO_PRODUCER. `operand` is its output. */
static uint32_t next_producer(const struct walk *walk, struct visit *visit, uint32_t *operand)
{
    const struct hy_operation *operation = &walk->operations[visit->operation];

    while (visit->next_input < operation->input_count) {
        *operand = operation->inputs[visit->next_input++];
        uint32_t producer = walk->producers[*operand];
        if (producer != HY_NO_PRODUCER && walk->marks[producer] != DONE)
            return producer;
    }
    return HY_NO_PRODUCER;
}

static enum hy_code fail_cycle(const struct walk *walk, uint32_t reader, uint32_t operand,
                               struct hy_error *err)
{
    return hy_fail(err, HY_BAD_DATA,
                   "operation %u %s reads operand %u, which cannot be computed before the "
                   "operation's own outputs: the model has a cycle",
                   reader, hy_operation_text(walk->operations[reader].type), operand);
}

/* Orders `first` and all operations that `first` needs. */
static enum hy_code visit(struct walk *walk, uint32_t first, struct hy_error *err)
{
    enter(walk, first);
    while (walk->depth > 0) {
        struct visit *top = &walk->stack[walk->depth - 1];
        uint32_t operand;
        uint32_t producer = next_producer(walk, top, &operand);

        if (producer == HY_NO_PRODUCER) {
            walk->marks[top->operation] = DONE;
            walk->order[walk->ordered++] = top->operation;
            walk->depth--;
        } else if (walk->marks[producer] == WAITING) {
            return fail_cycle(walk, top->operation, operand, err);
        } else {
            enter(walk, producer);
        }
    }
    return HY_OK;
}

enum hy_code hy_operations_sort(const struct hy_operation *operations, uint32_t count,
                                const uint32_t *producers, uint32_t *order, struct hy_error *err)
{
    struct walk walk = {
        .operations = operations,
        .producers = producers,
        .marks = calloc(count, sizeof *walk.marks),
        .stack = calloc(count, sizeof *walk.stack),
        .order = order,
    };
    enum hy_code code = HY_OK;

    if (!walk.marks || !walk.stack)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "sorting %u operations", count);
    for (uint32_t i = 0; i < count && code == HY_OK; i++) {
        if (walk.marks[i] == UNSEEN)
            code = visit(&walk, i, err);
    }
    free(walk.stack);
    free(walk.marks);
    return code;
}
