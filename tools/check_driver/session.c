#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/operations/operation.h"
#include "tools/check_driver/rules/check.h"

static bool find_closed(struct hy_check *check, const char *call, const char *reason)
{
    hy_result_page_report(check->page, HY_RULE_M7, "the device cannot be opened again: %s: %s",
                          call, reason);
    return false;
}

bool hy_check_create(struct hy_check *check)
{
    hy_driver_query_fn query;
    struct hy_error err;

    hy_result_page_step(check->page, HY_RULE_M7, "opening the device once more");
    if (hy_library_load(check->target->library, &query, &err) != HY_OK)
        return find_closed(check, "library", err.text);
    const struct hy_driver *driver = query(HY_DRIVER_ABI);
    if (!driver || driver->struct_size < HY_SIZE_UP_TO(struct hy_driver, device))
        return find_closed(check, "hy_driver_query", "no table");
    hy_driver_copy(driver, &check->driver);
    return hy_call_create(check, HY_RULE_M7, &check->instance);
}

bool hy_check_open(struct hy_check *check)
{
    const struct hy_device *table = NULL;

    if (!hy_check_create(check))
        return false;
    int32_t status =
        check->driver.device(check->instance, check->device_index, &table, &check->device);
    if (status != HY_STATUS_OK || !table)
        return find_closed(check, "device",
                           status != HY_STATUS_OK ? hy_status_text(status) : "no table");
    memcpy(&check->table, table,
           table->struct_size < sizeof check->table ? table->struct_size : sizeof check->table);
    check->info = (struct hy_device_info){.struct_size = sizeof check->info};
    status = check->table.describe(check->device, &check->info);
    return status == HY_STATUS_OK || find_closed(check, "describe", hy_status_text(status));
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void hy_check_status(struct hy_check *check, const char *call, int32_t status)
{
    if (status < HY_STATUS_OK || status > HY_STATUS_DEAD_OBJECT)
        hy_result_page_report(check->page, HY_RULE_B6, "%s returned the unknown status %d", call,
                              (int)status);
    else if (status == HY_STATUS_OUTPUT_INSUFFICIENT_SIZE && !strstr(call, "execute"))
        hy_result_page_report(check->page, HY_RULE_B6, "%s returned %s", call,
                              hy_status_text(status));
}

bool hy_call_create(struct hy_check *check, enum hy_rule rule, void **instance)
{
    char text[128] = "";
    const struct hy_message message = {text, sizeof text};
    *instance = NULL;
    const int32_t status =
        check->driver.create(hy_check_host(), check->target->arguments, &message, instance);
    text[sizeof text - 1] = '\0';
    if (status == HY_STATUS_OK && *instance)
        return true;
    hy_result_page_report(check->page, rule, "create returned %s%s%s%s", hy_status_text(status),
                          status == HY_STATUS_OK ? " without an instance" : "", *text ? ": " : "",
                          text);
    return false;
}

int32_t hy_call_supported(struct hy_check *check, const struct hy_model *model, uint8_t *supported,
                          const struct hy_refusals *refusals)
{
    const int32_t status =
        check->table.supported_operations(check->device, model, supported, refusals);
    hy_check_status(check, "supported_operations", status);
    return status;
}

int32_t hy_call_prepare(struct hy_check *check, const struct hy_model *model, int64_t deadline,
                        void **prepared)
{
    enum { CAPACITY = 96, GUARD = 32 };
    char text[CAPACITY + GUARD];
    memset(text, 0x55, sizeof text);
    text[0] = '\0';
    const struct hy_prepare_options options = {
        .struct_size = sizeof options,
        .preference = HY_PREFER_FAST_SINGLE_ANSWER,
        .priority = HY_PRIORITY_MEDIUM,
        .deadline = deadline,
        .message = {text, CAPACITY},
    };
    *prepared = NULL;
    const int32_t status = check->table.prepare(check->device, model, &options, prepared);

    hy_check_status(check, "prepare", status);
    if (status == HY_STATUS_OK && !*prepared)
        hy_result_page_report(check->page, HY_RULE_B6, "prepare returned OK and NULL");
    if (status != HY_STATUS_OK && *prepared)
        hy_result_page_report(check->page, HY_RULE_B6, "prepare returned %s and an object",
                              hy_status_text(status));
    for (int i = CAPACITY; i < CAPACITY + GUARD; i++)
        if (text[i] != 0x55) {
            hy_result_page_report(check->page, HY_RULE_B6,
                                  "prepare wrote past the end of its message");
            break;
        }
    text[CAPACITY - 1] = '\0';
    snprintf(check->text, sizeof check->text, "%.*s", status != HY_STATUS_OK ? CAPACITY - 1 : 0,
             text);
    if (status != HY_STATUS_OK)
        *prepared = NULL; /* the result is no prepared model in any case */
    return status == HY_STATUS_OK && !*prepared ? HY_STATUS_GENERAL_FAILURE : status;
}

int32_t hy_call_execute(struct hy_check *check, void *prepared, struct hy_request_case *test_case)
{
    const int32_t status = check->table.execute(prepared, &test_case->request, &test_case->options,
                                                &test_case->result);
    test_case->text[sizeof test_case->text - 1] = '\0';
    hy_check_status(check, "execute", status);
    return status;
}

bool hy_call_supports(struct hy_check *check, const struct hy_model *model)
{
    uint8_t *supported = calloc((size_t)model->main->operation_count + 1, 1);
    bool all = supported && hy_call_supported(check, model, supported, NULL) == HY_STATUS_OK;
    for (uint32_t i = 0; all && i < model->main->operation_count; i++)
        all = supported[i] == 1;
    free(supported);
    return all;
}

/* ---- Models to try --------------------------------------------------------------------------- */

static bool is_random(const struct hy_vector *vector)
{
    return vector->multinomial_tolerance > 0;
}

/* The row of the first operation of a model that can be tried: HY_OP_COUNT for others. */
static uint32_t operation_of(const struct hy_check *check, uint32_t index)
{
    const struct hy_vector *vector = check->models->vectors[index];
    if (!check->page->is_claimed[index] || is_random(vector) ||
        vector->models[0].operation_count == 0)
        return HY_OP_COUNT;
    return hy_op_row(vector->models[0].operations[0].type);
}

const struct hy_vector *hy_next_sample(const struct hy_check *check, uint32_t *next)
{
    bool is_known[HY_OP_COUNT] = {false};
    uint32_t given = 0;
    for (uint32_t i = 0; i < check->models->count && given < HY_SAMPLES_MAX; i++) {
        const uint32_t operation = operation_of(check, i);
        if (operation >= HY_OP_COUNT || is_known[operation])
            continue;
        is_known[operation] = true;
        if (given++ == *next) {
            (*next)++;
            return check->models->vectors[i];
        }
    }
    return NULL;
}

bool hy_sample_make(struct hy_check *check, enum hy_rule rule, const struct hy_vector *vector,
                    const struct hy_request_case_form *form, struct hy_sample *out)
{
    struct hy_error err;
    *out = (struct hy_sample){.vector = vector};
    if (hy_model_view_make(vector, 0, &out->model_view, &err) != HY_OK ||
        hy_request_case_make(vector, form, &out->test_case, &err) != HY_OK) {
        hy_result_page_skip(check->page, rule, "%s: %s", vector->name, err.text);
        return false;
    }
    hy_result_page_step(check->page, rule, "preparing %s", vector->name);
    const int32_t status =
        hy_call_prepare(check, &out->model_view.model, HY_NO_DEADLINE, &out->prepared);
    if (status == HY_STATUS_OK) {
        hy_result_page_step(check->page, rule, "executing %s", vector->name);
        return true;
    }
    hy_result_page_report(check->page, rule, "%s: prepare failed with %s%s%s", vector->name,
                          hy_status_text(status), *check->text ? ": " : "", check->text);
    return false;
}

/* Notifies a device that asks for it, as the runtime does. */
static void announce_memory_gone(const struct hy_check *check,
                                 const struct hy_request_case *test_case)
{
    for (uint32_t i = 0; check->table.memory_gone && i < 2; i++) {
        if (test_case->pools[i].id != 0)
            check->table.memory_gone(check->device, test_case->pools[i].id);
    }
}

void hy_sample_finish(struct hy_check *check, struct hy_sample *sample)
{
    if (sample->prepared)
        check->table.prepared_destroy(sample->prepared);
    announce_memory_gone(check, &sample->test_case);
    hy_request_case_finish(&sample->test_case);
    hy_model_view_finish(&sample->model_view);
    *sample = (struct hy_sample){0};
}

bool hy_sample_run(struct hy_check *check, enum hy_rule rule, struct hy_sample *sample)
{
    struct hy_error reason;
    hy_request_case_reset(&sample->test_case, 0x5a);
    const int32_t status = hy_call_execute(check, sample->prepared, &sample->test_case);
    if (hy_request_case_check(&sample->test_case, status, &reason) == HY_REQUEST_CASE_OK)
        return true;
    hy_result_page_report(check->page, rule, "%s: %s", check->page->doing, reason.text);
    return false;
}
