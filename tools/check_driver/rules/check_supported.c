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
struct reply {
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

static void record_reason(void *context, uint32_t operation, const char *reason)
{
    struct reply *reply = context;
    if (operation >= reply->model->main->operation_count) {
        reply->has_strange_reason = true;
        return;
    }
    reply->has_reason[operation] = 1;
    if (reply->reasons && operation < OPERATIONS)
        snprintf(reply->reasons[operation], HY_REASON_SIZE, "%s", reason ? reason : "");
    if (!reason || !*reason)
        reply->has_empty_reason = true;
}

static void ask(struct reply *reply)
{
    const struct hy_refusals refusals = {
        .struct_size = sizeof refusals, .context = reply, .refuse = record_reason};
    memset(reply->supported, UNWRITTEN, sizeof reply->supported);
    memset(reply->has_reason, 0, sizeof reply->has_reason);
    reply->status = hy_call_supported(reply->check, reply->model, reply->supported, &refusals);
}

static bool check_case_values(struct hy_check *check, const struct reply *reply)
{
    const uint32_t count = reply->model->main->operation_count;
    const char *name = reply->vector->name;
    if (reply->status != HY_STATUS_OK) {
        hy_result_page_report(check->page, HY_RULE_B1,
                              "%s: supported_operations failed with %s for a valid model", name,
                              hy_status_text(reply->status));
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (reply->supported[i] > 1) {
            hy_result_page_report(
                check->page, HY_RULE_B1, "%s: the result for operation %u is %s", name, i,
                reply->supported[i] == UNWRITTEN ? "not written" : "neither 0 nor 1");
            return false;
        }
    if (reply->supported[count] != UNWRITTEN) {
        hy_result_page_report(check->page, HY_RULE_B1,
                              "%s: supported_operations wrote more than %u results", name, count);
        return false;
    }
    return true;
}

static void check_reasons(struct hy_check *check, const struct reply *reply)
{
    const char *name = reply->vector->name;
    for (uint32_t i = 0; i < reply->model->main->operation_count; i++) {
        if (reply->supported[i] == 0 && !reply->has_reason[i])
            hy_result_page_report(check->page, HY_RULE_B2,
                                  "%s: operation %u is refused without a reason", name, i);
        if (reply->supported[i] == 1 && reply->has_reason[i])
            hy_result_page_report(check->page, HY_RULE_B2,
                                  "%s: operation %u is supported, but has a reason for a refusal",
                                  name, i);
    }
    if (reply->has_empty_reason)
        hy_result_page_report(check->page, HY_RULE_B2, "%s: a reason is empty", name);
    if (reply->has_strange_reason)
        hy_result_page_report(check->page, HY_RULE_B2,
                              "%s: a reason for an operation that does not exist", name);
}

static void *ask_there(void *argument)
{
    ask(argument);
    return NULL;
}

static void check_stability(struct hy_check *check, const struct reply *before)
{
    struct reply again = *before, there = *before;
    pthread_t thread;
    again.reasons = there.reasons = NULL;
    hy_result_page_step(check->page, HY_RULE_B3, "supported_operations of %s again",
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
        hy_result_page_report(check->page, HY_RULE_B3, "%s: the results have changed",
                              before->vector->name);
}

static void note_operations(struct hy_check *check, const struct reply *reply)
{
    const struct hy_subgraph *graph = reply->model->main;
    for (uint32_t i = 0; i < graph->operation_count; i++)
        if (hy_operation_info(graph->operations[i].type))
            hy_operation_support_add(&check->page->operations[graph->operations[i].type],
                                     reply->supported[i] == 1, reply->reasons[i]);
}

static bool is_claimed(const struct reply *reply)
{
    for (uint32_t i = 0; i < reply->model->main->operation_count; i++)
        if (reply->supported[i] != 1)
            return false;
    return true;
}

static void check_model(struct hy_check *check, uint32_t index)
{
    const struct hy_vector *vector = check->models->vectors[index];
    struct hy_model_view model_view = {0};
    if (hy_vector_level(vector) > check->info.feature_level ||
        vector->models[0].operation_count > OPERATIONS)
        return;
    hy_result_page_step(check->page, HY_RULE_B1, "supported_operations of %s", vector->name);
    if (hy_model_view_make(vector, 0, &model_view, NULL) == HY_OK) {
        char reasons[OPERATIONS][HY_REASON_SIZE] = {{0}};
        struct reply reply = {
            .check = check, .vector = vector, .model = &model_view.model, .reasons = reasons};
        ask(&reply);
        if (check_case_values(check, &reply)) {
            check_reasons(check, &reply);
            note_operations(check, &reply);
            check->page->is_claimed[index] = is_claimed(&reply);
            check->page->claimed_count += is_claimed(&reply);
            if (index < STABLE_MODELS)
                check_stability(check, &reply);
        }
    }
    hy_model_view_finish(&model_view);
}

void hy_check_supported(struct hy_check *check)
{
    check->page->claimed_count = 0;
    memset(check->page->is_claimed, 0, check->models->count);
    memset(check->page->operations, 0, sizeof check->page->operations);
    for (uint32_t i = 0; i < check->models->count; i++)
        check_model(check, i);
    hy_result_page_pass(check->page, HY_RULE_B1);
    hy_result_page_pass(check->page, HY_RULE_B2);
    hy_result_page_pass(check->page, HY_RULE_B3);
}
