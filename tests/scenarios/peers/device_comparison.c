#include "device_comparison.h"

#include <string.h>

#include "bench/inference.h"
#include "bench/peers/tflite_peer.h"

const char *const hy_compared_names[HY_COMPARED_DEVICES] = {"halyard-cpu", "nnapi-reference"};

static enum hy_code run_peer(struct hy_tflite_peer *peer, const struct hy_op_case *model,
                             struct hy_error *err)
{
    for (uint32_t i = 0; i < model->input_count; i++) {
        size_t bytes;
        void *input = hy_tflite_peer_input(peer, (int)i, &bytes);
        if (bytes != model->inputs[i].count)
            return hy_fail(err, HY_BAD_DATA, "TensorFlow Lite: input %u has %zu bytes, needs %zu",
                           i, bytes, model->inputs[i].count);
        memcpy(input, model->inputs[i].bytes, bytes);
    }
    return hy_tflite_peer_run(peer, err);
}

static enum hy_code compare(const struct hy_tflite_peer *peer, const struct hy_inference *inference,
                            struct hy_difference *difference, struct hy_error *err)
{
    for (uint32_t i = 0; i < hy_inference_output_count(inference); i++) {
        const struct hy_tflite_tensor *tensor = hy_inference_output_tensor(inference, i);
        const size_t own = hy_inference_output_bytes(inference, i);
        size_t bytes;
        const void *golden = hy_tflite_peer_output(peer, (int)i, &bytes);
        if (bytes != own)
            return hy_fail(err, HY_BAD_DATA, "output %u has %zu bytes, TensorFlow Lite's %zu", i,
                           own, bytes);
        hy_difference_add(difference, tensor->type, bytes / (hy_tflite_type_bits(tensor->type) / 8),
                          golden, hy_inference_output(inference, i));
    }
    return HY_OK;
}

static enum hy_code run_both(const struct hy_op_case *model, struct hy_tflite_peer *peer,
                             struct hy_inference *inference, struct hy_difference *difference,
                             struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (uint32_t i = 0; i < model->input_count; i++)
        memcpy(hy_inference_input(inference, i), model->inputs[i].bytes, model->inputs[i].count);
    for (uint32_t run = 0; code == HY_OK && run < model->runs; run++) {
        code = run_peer(peer, model, err);
        if (code == HY_OK)
            code = hy_inference_run(inference, HY_INFERENCE_SYNC, err);
        if (code == HY_OK)
            code = compare(peer, inference, difference, err);
    }
    return code;
}

/* TensorFlow Lite is opened for each device: states begin anew. */
static enum hy_code run_device(const char *library, enum hy_compared_device device,
                               const struct hy_op_case *model, struct hy_comparison_result *result,
                               struct hy_error *err)
{
    struct hy_tflite_peer *peer = NULL;
    struct hy_inference *inference = NULL;
    const struct hy_inference_options options = {.device = hy_compared_names[device]};
    enum hy_code code = hy_tflite_peer_open_bytes(library, model->model, model->length,
                                                  HY_TFLITE_BUILT_IN, &peer, err);
    if (code == HY_OK)
        code = hy_inference_create(model->model, model->length, &options, &inference, err);
    if (code == HY_OK)
        code = run_both(model, peer, inference, &result->difference[device], err);
    if (code == HY_OK)
        result->is_real |= hy_inference_output_tensor(inference, 0)->type == HY_TFLITE_FLOAT32;
    hy_inference_destroy(inference);
    hy_tflite_peer_close(peer);
    return code == HY_OK ? HY_OK : hy_error_prefix(err, code, "%s", options.device);
}

enum hy_code hy_comparison_run(const char *library, const struct hy_op_case *model,
                               struct hy_comparison_result *result, struct hy_error *err)
{
    enum hy_code code = HY_OK;

    for (int i = 0; code == HY_OK && i < HY_COMPARED_DEVICES; i++)
        code = run_device(library, (enum hy_compared_device)i, model, result, err);
    return code;
}
