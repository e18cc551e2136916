#include "tools/commands/explanation.h"

#include <stdlib.h>

#include "common/clock.h"
#include "tools/api_result.h"

/* As many runs as fit into this time. */
#define MEASURE_NS UINT64_C(200000000)

enum { RUNS_MOST = 100 };

static enum hy_code read_operations(const ANeuralNetworksCompilation *compilation,
                                    struct hy_explanation *out, struct hy_error *err)
{
    const uint32_t count = out->plan.operation_count;
    out->operations = calloc((size_t)count + 1, sizeof *out->operations);
    if (!out->operations)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plan of %u operations", count);

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        out->operations[i].struct_size = sizeof out->operations[i];
        code = hy_api_result(halyard_compilation_get_operation(compilation, i, &out->operations[i]),
                             "compilation_get_operation", err);
    }
    return code;
}

static enum hy_code read_steps(const ANeuralNetworksCompilation *compilation,
                               struct hy_explanation *out, struct hy_error *err)
{
    const uint32_t count = out->plan.step_count;
    out->steps = calloc((size_t)count + 1, sizeof *out->steps);
    if (!out->steps)
        return hy_fail(err, HY_OUT_OF_MEMORY, "plan of %u steps", count);

    enum hy_code code = HY_OK;
    for (uint32_t i = 0; code == HY_OK && i < count; i++) {
        out->steps[i].struct_size = sizeof out->steps[i];
        code = hy_api_result(halyard_compilation_get_step(compilation, i, &out->steps[i]),
                             "compilation_get_step", err);
    }
    return code;
}

/* A model may refuse noise as its input; its steps are then not measured, which is no failure of an
 * explanation. */
void hy_explanation_measure(struct hy_session *session)
{
    ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    struct hy_error none;

    hy_session_fill_inputs(session, 0, HY_NOISE_SEED);
    enum hy_code code = hy_session_run(session, &none); /* sets things up */
    if (code == HY_OK)
        code = hy_api_result(halyard_compilation_measure_steps(compilation, true),
                             "compilation_measure_steps", &none);
    const uint64_t end = hy_clock_now() + MEASURE_NS;
    for (uint32_t i = 0; code == HY_OK && i < RUNS_MOST; i++) {
        code = hy_session_run(session, &none);
        if (hy_clock_now() > end)
            break;
    }
}

/* A device that the compilation could not choose from has refused nothing. */
static void read_refusals_of(const ANeuralNetworksCompilation *compilation,
                             const ANeuralNetworksDevice *device, struct hy_explanation *out)
{
    for (uint32_t i = 0; i < out->plan.operation_count; i++) {
        const char *reason = "";
        if (halyard_compilation_get_refusal(compilation, i, device, &reason) !=
            ANEURALNETWORKS_NO_ERROR)
            return;
        if (*reason)
            out->refusals[out->refusal_count++] = (struct hy_refusal){
                .operation = i, .device = hy_device_name(device), .reason = reason};
    }
}

static enum hy_code read_refusals(const ANeuralNetworksCompilation *compilation,
                                  const struct hy_device_selection *devices,
                                  struct hy_explanation *out, struct hy_error *err)
{
    const size_t most = (size_t)out->plan.operation_count * devices->count;
    out->refusals = calloc(most + 1, sizeof *out->refusals);
    if (!out->refusals)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu refusals", most);
    for (uint32_t i = 0; i < devices->count; i++)
        read_refusals_of(compilation, devices->devices[i], out);
    return HY_OK;
}

enum hy_code hy_explanation_make(const struct hy_session *session,
                                 const struct hy_device_selection *devices,
                                 struct hy_explanation *out, struct hy_error *err)
{
    const ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    out->session = session;
    out->plan.struct_size = sizeof out->plan;
    enum hy_code code = hy_api_result(halyard_compilation_get_plan(compilation, &out->plan),
                                      "compilation_get_plan", err);
    if (code == HY_OK)
        code = read_operations(compilation, out, err);
    if (code == HY_OK)
        code = read_steps(compilation, out, err);
    if (code == HY_OK)
        code = read_refusals(compilation, devices, out, err);
    return code;
}

void hy_explanation_finish(struct hy_explanation *explanation)
{
    free(explanation->operations);
    free(explanation->steps);
    free(explanation->refusals);
    *explanation = (struct hy_explanation){0};
}

enum hy_code hy_explanation_report(const struct hy_session *session, int32_t format, char **text,
                                   struct hy_error *err)
{
    const ANeuralNetworksCompilation *compilation = hy_session_compilation(session);
    size_t length = 0;
    enum hy_code code =
        hy_api_result(halyard_compilation_write_report(compilation, format, NULL, 0, &length),
                      "compilation_write_report", err);
    char *made = code == HY_OK ? malloc(length + 1) : NULL;
    if (code == HY_OK && !made)
        code = hy_fail(err, HY_OUT_OF_MEMORY, "report of %zu bytes", length);
    if (code == HY_OK)
        code = hy_api_result(
            halyard_compilation_write_report(compilation, format, made, length + 1, &length),
            "compilation_write_report", err);
    if (code != HY_OK) {
        free(made);
        return code;
    }
    *text = made;
    return HY_OK;
}
