#include "common/model/model_view.h"
#include "common/status.h"
#include "plugins/support_library/deadline.h"
#include "plugins/support_library/result.h"
#include "plugins/support_library/sl_prepared.h"

#include <stdlib.h>
#include <string.h>

/* ---- What executions need to know ------------------------------------------------------------ */

static bool is_complete(const struct hy_operand *operand)
{
    for (uint32_t i = 0; i < operand->rank; i++) {
        if (operand->dims[i] == 0)
            return false;
    }
    return operand->rank > 0;
}

static enum hy_code describe(struct hy_sl_prepared *prepared, const struct hy_subgraph *graph,
                             uint32_t count, const uint32_t *operands,
                             const struct hy_sl_argument **ret, struct hy_error *err)
{
    struct hy_arena *memory = &prepared->model.memory;
    struct hy_sl_argument *list = hy_arena_alloc(memory, count * sizeof *list);
    if (!list)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u arguments", count);

    for (uint32_t i = 0; i < count; i++) {
        if (operands[i] >= graph->operand_count)
            return hy_fail(err, HY_BAD_DATA, "argument %u is operand %u, there are %u", i,
                           operands[i], graph->operand_count);
        const struct hy_operand *operand = &graph->operands[operands[i]];
        const uint32_t *dims =
            hy_arena_copy(memory, operand->dims, operand->rank, sizeof *operand->dims);
        if (!dims)
            return hy_fail(err, HY_OUT_OF_MEMORY, "shape of argument %u", i);
        list[i] = (struct hy_sl_argument){
            .type = {.type = prepared->model.types[operands[i]],
                     .dimensionCount = operand->rank,
                     .dimensions = operand->rank ? dims : NULL,
                     .scale = operand->scale,
                     .zeroPoint = operand->zero_point},
            .is_complete = is_complete(operand),
        };
    }
    *ret = list;
    return HY_OK;
}

static enum hy_code describe_arguments(struct hy_sl_prepared *prepared, const struct hy_model *view,
                                       struct hy_error *err)
{
    const struct hy_subgraph *graph = view->main;

    prepared->input_count = graph->input_count;
    prepared->output_count = graph->output_count;
    prepared->has_loops = view->referenced_count > 0;
    enum hy_code code =
        describe(prepared, graph, graph->input_count, graph->inputs, &prepared->inputs, err);
    if (code == HY_OK)
        code =
            describe(prepared, graph, graph->output_count, graph->outputs, &prepared->outputs, err);
    return code;
}

/* Copies the extension prefixes, because hints of executions come without extension names. */
static enum hy_code save_extensions(struct hy_sl_prepared *prepared,
                                    const struct hy_prepare_options *options, struct hy_error *err)
{
    struct hy_arena *memory = &prepared->model.memory;
    const uint32_t count = options->extension_count;
    struct hy_extension_prefix *list =
        hy_arena_copy(memory, options->extensions, count, sizeof *list);
    if (!list)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%u extensions", count);

    for (uint32_t i = 0; i < count; i++) {
        list[i].name = hy_arena_copy(memory, list[i].name, strlen(list[i].name) + 1, 1);
        if (!list[i].name)
            return hy_fail(err, HY_OUT_OF_MEMORY, "name of extension %u", i);
    }
    prepared->extensions = list;
    prepared->extension_count = count;
    return HY_OK;
}

/* ---- The compilation ------------------------------------------------------------------------- */

static enum hy_code set_priority(const struct hy_sl_prepared *prepared, int32_t priority,
                                 struct hy_error *err)
{
    static const int names[] = {
        [HY_PRIORITY_LOW] = ANEURALNETWORKS_PRIORITY_LOW,
        [HY_PRIORITY_MEDIUM] = ANEURALNETWORKS_PRIORITY_MEDIUM,
        [HY_PRIORITY_HIGH] = ANEURALNETWORKS_PRIORITY_HIGH,
    };

    if (priority < HY_PRIORITY_LOW || priority > HY_PRIORITY_HIGH)
        return hy_fail(err, HY_BAD_DATA, "priority %d", priority);
    return hy_sl_result(prepared->api->ANeuralNetworksCompilation_setPriority(prepared->compilation,
                                                                              names[priority]),
                        "Compilation_setPriority", err);
}

static enum hy_code set_deadline(const struct hy_sl_prepared *prepared, int64_t deadline,
                                 struct hy_error *err)
{
    uint64_t left;
    enum hy_code code = hy_sl_time_left(deadline, &left, err);
    if (code != HY_OK || left == 0)
        return code;
    return hy_sl_result(
        prepared->api->ANeuralNetworksCompilation_setTimeout(prepared->compilation, left),
        "Compilation_setTimeout", err);
}

/* Hints that the library refuses, or does not know at its level, are ignored. */
static void add_hints(const struct hy_sl_prepared *prepared,
                      const struct hy_prepare_options *options)
{
    const NnApiSLDriverImplFL8 *table = prepared->device->table;

    if (!table->ANeuralNetworksCompilation_addExtensionAttribute)
        return;
    for (uint32_t i = 0; i < options->hint_count; i++) {
        const struct hy_hint *hint = &options->hints[i];
        const char *name =
            hy_prefix_name(prepared->extensions, prepared->extension_count, hint->token >> 16);
        if (name)
            (void)table->ANeuralNetworksCompilation_addExtensionAttribute(
                prepared->compilation, name, (uint16_t)hint->token, hint->data, hint->length);
    }
}

/* A failure of the cache never fails a prepare. */
static void offer_cache(const struct hy_sl_prepared *prepared,
                        const struct hy_prepare_options *options)
{
    const struct hy_device_info *info = &prepared->device->info;

    if (!options->token || options->model_cache_count + options->data_cache_count == 0 ||
        options->model_cache_count != info->model_cache_files ||
        options->data_cache_count != info->data_cache_files)
        return;
    (void)prepared->api->SL_ANeuralNetworksCompilation_setCachingFromFds(
        prepared->compilation, options->model_cache, options->model_cache_count,
        options->data_cache, options->data_cache_count, options->token);
}

static enum hy_code compile(struct hy_sl_prepared *prepared,
                            const struct hy_prepare_options *options, struct hy_error *err)
{
    const NnApiSLDriverImplFL5 *api = prepared->api;
    int result = api->ANeuralNetworksCompilation_createForDevices(
        prepared->model.main, &prepared->device->handle, 1, &prepared->compilation);

    enum hy_code code =
        hy_sl_result_made(result, prepared->compilation, "Compilation_createForDevices", err);
    if (code == HY_OK)
        code = hy_sl_result(api->ANeuralNetworksCompilation_setPreference(prepared->compilation,
                                                                          options->preference),
                            "Compilation_setPreference", err);
    if (code == HY_OK)
        code = set_priority(prepared, options->priority, err);
    if (code == HY_OK)
        code = set_deadline(prepared, options->deadline, err);
    if (code != HY_OK)
        return code;
    add_hints(prepared, options);
    offer_cache(prepared, options);
    return hy_sl_result(api->ANeuralNetworksCompilation_finish(prepared->compilation),
                        "Compilation_finish", err);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static enum hy_code build(struct hy_sl_prepared *prepared, const struct hy_model *view,
                          const struct hy_prepare_options *options, struct hy_error *err)
{
    if (!HY_REACHES(options, message))
        return hy_fail(err, HY_BAD_DATA, "struct_size of the options is %u", options->struct_size);
    enum hy_code code = hy_sl_model_build(prepared->api, view, &prepared->model, err);
    if (code == HY_OK)
        code = describe_arguments(prepared, view, err);
    if (code == HY_OK)
        code = save_extensions(prepared, options, err);
    if (code == HY_OK)
        code = compile(prepared, options, err);
    /* A compilation has no output sizes, so the code is invalid here. */
    return code == HY_INSUFFICIENT_SIZE ? HY_FAILED : code;
}

int32_t hy_sl_prepare(void *device, const struct hy_model *model,
                      const struct hy_prepare_options *options, void **prepared)
{
    struct hy_sl_device *own = device;
    struct hy_error err;
    enum hy_code code;

    struct hy_sl_prepared *made = calloc(1, sizeof *made);
    if (made) {
        made->device = own;
        made->api = &own->table->base;
        code = build(made, model, options, &err);
    } else {
        code = hy_fail(&err, HY_OUT_OF_MEMORY, "prepared model");
    }
    if (code == HY_OK)
        *prepared = made;
    else
        hy_sl_prepared_destroy(made);
    return hy_status_report(code, &err, &options->message);
}

void hy_sl_prepared_destroy(void *prepared)
{
    struct hy_sl_prepared *own = prepared;

    if (!own)
        return;
    if (own->compilation)
        own->api->ANeuralNetworksCompilation_free(own->compilation);
    hy_sl_model_finish(&own->model);
    free(own);
}
