#include "common/operations/geometry.h"

#include <android/NeuralNetworksTypes.h>

static int64_t reach(const struct hy_window *window)
{
    return ((int64_t)window->filter - 1) * window->dilation + 1;
}

static enum hy_code check_sizes(const struct hy_window *window, uint32_t in, struct hy_error *err)
{
    if (in == 0)
        return hy_fail(err, HY_FAILED, "the image is empty");
    if (window->filter == 0 || window->stride == 0 || window->dilation == 0)
        return hy_fail(err, HY_FAILED, "filter %u, stride %u and dilation %u must be 1 or more",
                       window->filter, window->stride, window->dilation);
    if (in > INT32_MAX || window->filter > INT32_MAX || window->stride > INT32_MAX ||
        window->dilation > INT32_MAX || reach(window) > INT32_MAX)
        return hy_fail(err, HY_FAILED, "filter %u with dilation %u on %u elements is too large",
                       window->filter, window->dilation, in);
    return HY_OK;
}

enum hy_code hy_window_pad(struct hy_window *window, int32_t scheme, uint32_t in,
                           struct hy_error *err)
{
    if (scheme < 0 || scheme > ANEURALNETWORKS_PADDING_VALID)
        return hy_fail(err, HY_FAILED, "%d is not a padding scheme (1 or 2)", scheme);
    enum hy_code code = check_sizes(window, in, err);
    if (code != HY_OK)
        return code;

    int64_t total = 0;
    if (scheme == ANEURALNETWORKS_PADDING_SAME) {
        int64_t out = ((int64_t)in + window->stride - 1) / window->stride;
        total = (out - 1) * window->stride + reach(window) - in;
    }
    if (total < 0)
        total = 0;
    window->head = (uint32_t)(total / 2);
    window->tail = (uint32_t)(total - total / 2);
    return HY_OK;
}

enum hy_code hy_window_output(const struct hy_window *window, uint32_t in, uint32_t *out,
                              struct hy_error *err)
{
    enum hy_code code = check_sizes(window, in, err);

    if (code != HY_OK)
        return code;
    int64_t eff = reach(window);
    if (window->head >= eff || window->tail >= eff)
        return hy_fail(err, HY_FAILED, "padding of %u and %u reaches the filter of %lld elements",
                       window->head, window->tail, (long long)eff);
    int64_t capacity = (int64_t)in + window->head + window->tail - eff;
    if (capacity < 0)
        return hy_fail(err, HY_FAILED, "a filter of %lld elements does not fit %u with padding",
                       (long long)eff, in);
    int64_t count = capacity / window->stride + 1;
    if (in + (int64_t)window->head + window->tail > INT32_MAX ||
        count * window->stride + (int64_t)window->filter * window->dilation > INT32_MAX)
        return hy_fail(err, HY_FAILED, "an image of %u elements is too large", in);
    *out = (uint32_t)count;
    return HY_OK;
}
