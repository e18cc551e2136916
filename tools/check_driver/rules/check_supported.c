/* The operations that a device reports as supported: B1 to B3. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"

#define UNWRITTEN     0xee
#define OPERATIONS    64u /* of a model, at most */
#define TIMES_ASKED   3u
#define STABLE_MODELS 64u

/* The reply for one model. */
struct answer {
    struct hy_check *check;
    const struct hy_vector *vector;
    const struct hy_model *model;
    int32_t status;
    uint8_t supported[OPERATIONS + 8]; /* the last are not the driver's to write */
    uint8_t has_reason[OPERATIONS];
    char (*reasons)[HY_REASON_SIZE]; /* the reasons; NULL if they are not needed */
    bool has_empty_reason;
    bool has_strange_reason; /* for an operation outside the model */
};

static void take_reason(void *context, uint32_t operation, const char *reason)
{
    struct answer *answer = context;
    if (operation >= answer->model->main->operation_count) {
        answer->has_strange_reason = true;
        return;
    }
    answer->has_reason[operation] = 1;
    if (answer->reasons && operation < OPERATIONS)
        snprintf(answer->reasons[operation], HY_REASON_SIZE, "%s", reason ? reason : "");
    if (!reason || !*reason)
        answer->has_empty_reason = true;
}

static void ask(struct answer *answer)
{
    const struct hy_refusals refusals = {
        .struct_size = sizeof refusals, .context = answer, .refuse = take_reason};
    memset(answer->supported, UNWRITTEN, sizeof answer->supported);
    memset(answer->has_reason, 0, sizeof answer->has_reason);
    answer->status = hy_call_supported(answer->check, answer->model, answer->supported, &refusals);
}

static bool judge_values(struct hy_check *check, const struct answer *answer)
{
    const uint32_t count = answer->model->main->operation_count;
    const char *name = answer->vector->name;
    if (answer->status != HY_STATUS_OK) {
        hy_board_find(check->board, HY_RULE_B1, "%s: it failed with %s for a valid model", name,
                      hy_status_text(answer->status));
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (answer->supported[i] > 1) {
            hy_board_find(check->board, HY_RULE_B1, "%s: the answer for operation %u is %s", name,
                          i, answer->supported[i] == UNWRITTEN ? "not written" : "neither 0 nor 1");
            return false;
        }
    if (answer->supported[count] != UNWRITTEN) {
        hy_board_find(check->board, HY_RULE_B1, "%s: it wrote more than %u answers", name, count);
        return false;
    }
    return true;
}

static void judge_reasons(struct hy_check *check, const struct answer *answer)
{
    const char *name = answer->vector->name;
    for (uint32_t i = 0; i < answer->model->main->operation_count; i++) {
        if (answer->supported[i] == 0 && !answer->has_reason[i])
            hy_board_find(check->board, HY_RULE_B2, "%s: operation %u is refused without a reason",
                          name, i);
        if (answer->supported[i] == 1 && answer->has_reason[i])
            hy_board_find(check->board, HY_RULE_B2,
                          "%s: operation %u is supported, with a reason against it", name, i);
    }
    if (answer->has_empty_reason)
        hy_board_find(check->board, HY_RULE_B2, "%s: a reason is empty", name);
    if (answer->has_strange_reason)
        hy_board_find(check->board, HY_RULE_B2, "%s: a reason for an operation that is not there",
                      name);
}

static void *ask_there(void *argument)
{
    ask(argument);
    return NULL;
}

static void check_stability(struct hy_check *check, const struct answer *before)
{
    struct answer again = *before, there = *before;
    pthread_t thread;
    again.reasons = there.reasons = NULL;
    hy_board_step(check->board, HY_RULE_B3, "supported_operations of %s again",
                  before->vector->name);
    if (pthread_create(&thread, NULL, ask_there, &there) != 0)
        return;
    bool is_same = true;
    for (uint32_t i = 0; i < TIMES_ASKED && is_same; i++) {
        ask(&again);
        is_same = again.status == before->status &&
                  memcmp(again.supported, before->supported, sizeof before->supported) == 0;
    }
    pthread_join(thread, NULL);
    is_same = is_same && memcmp(there.supported, before->supported, sizeof before->supported) == 0;
    if (!is_same)
        hy_board_find(check->board, HY_RULE_B3, "%s: the answer has changed", before->vector->name);
}

static void note_operations(struct hy_check *check, const struct answer *answer)
{
    const struct hy_subgraph *graph = answer->model->main;
    for (uint32_t i = 0; i < graph->operation_count; i++)
        if (hy_operation_info(graph->operations[i].type))
            hy_operation_fact_add(&check->board->operations[graph->operations[i].type],
                                  answer->supported[i] == 1, answer->reasons[i]);
}

static bool is_claimed(const struct answer *answer)
{
    for (uint32_t i = 0; i < answer->model->main->operation_count; i++)
        if (answer->supported[i] != 1)
            return false;
    return true;
}

static void check_model(struct hy_check *check, uint32_t index)
{
    const struct hy_vector *vector = check->models->vectors[index];
    struct hy_draft draft = {0};
    if (hy_vector_level(vector) > check->info.feature_level ||
        vector->models[0].operation_count > OPERATIONS)
        return;
    hy_board_step(check->board, HY_RULE_B1, "supported_operations of %s", vector->name);
    if (hy_draft_make(vector, 0, &draft, NULL) == HY_OK) {
        char reasons[OPERATIONS][HY_REASON_SIZE] = {{0}};
        struct answer answer = {
            .check = check, .vector = vector, .model = &draft.model, .reasons = reasons};
        ask(&answer);
        if (judge_values(check, &answer)) {
            judge_reasons(check, &answer);
            note_operations(check, &answer);
            check->board->is_claimed[index] = is_claimed(&answer);
            check->board->claimed_count += is_claimed(&answer);
            if (index < STABLE_MODELS)
                check_stability(check, &answer);
        }
    }
    hy_draft_finish(&draft);
}

void hy_check_supported(struct hy_check *check)
{
    check->board->claimed_count = 0;
    memset(check->board->is_claimed, 0, check->models->count);
    memset(check->board->operations, 0, sizeof check->board->operations);
    for (uint32_t i = 0; i < check->models->count; i++)
        check_model(check, i);
    hy_board_pass(check->board, HY_RULE_B1);
    hy_board_pass(check->board, HY_RULE_B2);
    hy_board_pass(check->board, HY_RULE_B3);
}
