#include "bench/compare/rows.h"

#include <fnmatch.h>

/* The ratios that we want to stay below. */
static const struct {
    const char *kind, *model;
    double ratio;
} targets[] = {
    {"in-process", "mobilenet_v[12]_int8*", 0.75},
    {"in-process", "conv_3x3_int8*", 0.75},
    {"in-process", "pretrainedResnet_quant*", 0.75},
    {"in-process", "vww_96_int8*", 0.75},
    {"in-process", "kws_ref_model.tflite", 0.75},
    {"in-process", "micro_speech_quantized*", 0.75},
    {"in-process", "ad01_int8*", 0.75},
    {"in-process", "mobilenet_v[12]_f32*", 0.95},
    {"in-process", "pretrainedResnet.tflite", 0.95},
    {"in-process", "vww_96_float*", 0.95},
    {"in-process", "ad01_fp32*", 0.95},
    {"in-process", "lstm_*", 0.5},
    {"in-process", "kws_ref_model_float32*", 0.5}, /* weights of 8 bits, sums of floats */
    {"burst", "add.tflite", 1.0},
    {"compile", "*", 1.0},
    {"memory", "*", 1.0},
};

static double target_of(const char *kind, const char *model)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (fnmatch(targets[i].kind, kind, 0) == 0 && fnmatch(targets[i].model, model, 0) == 0)
            return targets[i].ratio;
    }
    return 0;
}

enum hy_engine hy_best_peer(const struct hy_comparison_result *result)
{
    enum hy_engine best = HY_ENGINE_COUNT;

    for (int i = 0; i < HY_ENGINE_COUNT; i++) {
        if (result->has_result[i] && hy_engine_is_peer((enum hy_engine)i) &&
            (best == HY_ENGINE_COUNT || result->us[i] < result->us[best]))
            best = (enum hy_engine)i;
    }
    return best;
}

uint32_t hy_rows_of(const struct hy_comparison_result *result, struct hy_row rows[HY_ROWS_MOST])
{
    const enum hy_engine best = hy_best_peer(result);
    const struct {
        const char *kind;
        const double *figures, *spreads;
        enum hy_engine who, peer;
    } kinds[HY_ROWS_MOST] = {
        {"in-process", result->us, result->spread, HY_HALYARD, best},
        {"burst", result->us, result->spread, HY_BURST, best},
        {"isolated", result->us, result->spread, HY_ISOLATED, best},
        {"client", result->us, result->spread, HY_CLIENT, best},
        {"compile", result->ready_us, NULL, HY_HALYARD, HY_XNNPACK},
        {"memory", result->peak_bytes, NULL, HY_HALYARD, HY_XNNPACK},
    };
    uint32_t count = 0;

    for (size_t i = 0; i < HY_ROWS_MOST; i++) {
        const enum hy_engine who = kinds[i].who, peer = kinds[i].peer;
        if (!result->has_result[who])
            continue;
        struct hy_row *row = &rows[count++];
        *row = (struct hy_row){
            .kind = kinds[i].kind,
            .is_bytes = kinds[i].figures == result->peak_bytes,
            .halyard = kinds[i].figures[who],
            .halyard_spread = kinds[i].spreads ? kinds[i].spreads[who] : 0,
            .best_peer = HY_ENGINE_COUNT,
            .target = target_of(kinds[i].kind, result->model),
        };
        if (peer == HY_ENGINE_COUNT || !result->has_result[peer])
            continue;
        row->best_peer = peer;
        row->peer = kinds[i].figures[peer];
        row->ratio = row->halyard / row->peer;
    }
    return count;
}
