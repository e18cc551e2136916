/* The vectors through the API, as an app would run them: V1. */
#include <halyard/halyard.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check_driver/rules/check.h"
#include "tools/vectors/refusal.h"
#include "tools/vectors/vector_run.h"

/* This driver, and no other. */
static void choose_driver(const struct hy_check *check)
{
    setenv("HALYARD_DRIVER_FILES", check->target->manifest, 1);
    unsetenv("HALYARD_ADD_DRIVER_FILES");
    unsetenv("HALYARD_DRIVERS_SELECT");
    unsetenv("HALYARD_DRIVERS_DISABLE");
    setenv("HALYARD_LOG", "error", 1);
}

static void run_model(struct hy_check *check, const struct hy_vector *vector,
                      const struct hy_device_selection *device)
{
    const struct hy_vector_course course = {.mode = HY_RUN_SYNC};
    struct hy_error reason;
    hy_result_page_step(check->page, HY_RULE_V1, "running the vector %s", vector->name);
    if (!hy_vector_is_refused(vector, device, &reason) &&
        hy_vector_run(vector, device, &course, &reason) != HY_OK)
        hy_result_page_report(check->page, HY_RULE_V1, "%s: %s", vector->name, reason.text);
}

static void report_refusal(struct hy_check *check, const struct hy_error *err)
{
    struct halyard_refused_driver refused = {.struct_size = sizeof refused};
    if (halyard_get_refused_driver(0, &refused) == ANEURALNETWORKS_NO_ERROR)
        hy_result_page_report(check->page, HY_RULE_V1, "the runtime refuses the driver: %s",
                              refused.reason);
    else
        hy_result_page_report(check->page, HY_RULE_V1, "%s", err->text);
}

/* The built-in models alone do not make a rule about vectors hold. */
static void report_supported(struct hy_check *check)
{
    const struct hy_model_list *models = check->models;
    for (uint32_t i = models->built_in_count; i < models->count; i++)
        if (check->page->is_claimed[i]) {
            hy_result_page_pass(check->page, HY_RULE_V1);
            return;
        }
    hy_result_page_skip(check->page, HY_RULE_V1, "%s",
                        models->files.count == 0 ? "no vectors were given"
                                                 : "the device supports none of the given vectors");
}

void hy_check_vectors(struct hy_check *check)
{
    const struct hy_option_list names = {.count = 1, .items = {check->page->device_name}};
    struct hy_device_selection device;
    struct hy_error err;

    choose_driver(check);
    hy_result_page_step(check->page, HY_RULE_V1, "opening the driver as an app does");
    if (hy_device_selection_make(&names, &device, &err) != HY_OK) {
        report_refusal(check, &err);
        return;
    }
    for (uint32_t i = 0; i < check->models->count; i++)
        if (check->page->is_claimed[i])
            run_model(check, check->models->vectors[i], &device);
    report_supported(check);
}
