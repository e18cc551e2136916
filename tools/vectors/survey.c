#include "tools/vectors/survey.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/vectors/build.h"

static bool has_news(const struct hy_survey *survey, const struct hy_vector *vector)
{
    for (uint32_t m = 0; m < vector->model_count; m++)
        for (uint32_t i = 0; i < vector->models[m].operation_count; i++)
            if (!survey->supported[hy_op_row(vector->models[m].operations[i].type)])
                return true;
    return false;
}

static void ask_devices(struct hy_survey *survey, const struct hy_vector_model *source,
                        const ANeuralNetworksModel *model,
                        const struct hy_device_selection *devices)
{
    bool *supported = calloc((size_t)source->operation_count + 1, sizeof *supported);
    if (supported &&
        ANeuralNetworksModel_getSupportedOperationsForDevices(
            model, devices->devices, devices->count, supported) == ANEURALNETWORKS_NO_ERROR)
        for (uint32_t i = 0; i < source->operation_count; i++)
            if (supported[i])
                survey->supported[hy_op_row(source->operations[i].type)] = true;
    free(supported);
}

void hy_survey_add(struct hy_survey *survey, const struct hy_vector *vector,
                   const struct hy_device_selection *devices)
{
    if (vector->expect_failure || !has_news(survey, vector))
        return;

    for (uint32_t m = 0; m < vector->model_count; m++)
        for (uint32_t i = 0; i < vector->models[m].operation_count; i++)
            survey->asked[hy_op_row(vector->models[m].operations[i].type)] = true;

    /* Where the API itself refuses a model, no device was found to support its operations. */
    struct hy_vector_build build = {0};
    const enum hy_code code = hy_vector_build_make(vector, &build, NULL);
    for (uint32_t m = 0; build.finished && m < vector->model_count; m++)
        if (build.finished[m])
            ask_devices(survey, &vector->models[m], build.models[m], devices);
    (void)code;
    hy_vector_build_finish(&build);
}

bool hy_survey_missing(const struct hy_survey *survey, const struct hy_vector *vector, char *names,
                       size_t size)
{
    bool named[HY_OP_COUNT] = {false};
    size_t length = 0;
    names[0] = '\0';
    for (uint32_t m = 0; m < vector->model_count; m++)
        for (uint32_t i = 0; i < vector->models[m].operation_count; i++) {
            const int32_t type = vector->models[m].operations[i].type;
            const uint32_t row = hy_op_row(type);
            if (!survey->asked[row] || survey->supported[row] || named[row])
                continue;
            named[row] = true;
            if (length < size)
                length += (size_t)snprintf(names + length, size - length, "%s%s",
                                           length ? ", " : "", hy_operation_name(type));
        }
    return length > 0;
}
