#include <math.h>

#include "cpu_fallback/kernels/kernels.h"
#include "guarded.h"
#include "tensor.h"
#include "test.h"

enum { IN_SLOT, OUT_SLOT };

/* Every stored value of every channel, with scales of different sizes. */
static void check(enum hy_element from, enum hy_element to, size_t channels, int32_t zero_point)
{
    static const float scales[3] = {0.5f, 0.0123f, 3.0f};
    struct hy_dequantize_params params = {
        .outer = 4, .channels = channels, .inner = 64, .scales = scales, .zero_point = zero_point};
    size_t count = params.outer * channels * params.inner;
    uint8_t *in = tensor_blank(IN_SLOT, from, count);
    void *out = tensor_blank(OUT_SLOT, to, count);

    for (size_t i = 0; i < count; i++)
        in[i] = (uint8_t)(i / params.inner / channels * params.inner + i % params.inner);
    hy_kernels_reference()->dequantize[from][to](&params, in, out);

    for (size_t i = 0; i < count; i++) {
        double scale = (double)scales[i / params.inner % channels];
        double want = scale * (tensor_at(from, in, i) - zero_point), got = tensor_at(to, out, i);
        double tolerance = fabs(want) * (to == HY_ELEMENT_F32 ? 0x1p-24 : 0x1p-11 + 0x1p-23);
        if (fabs(want - got) > tolerance)
            hy_test_fail(__FILE__, __LINE__, "%d to %d: index %zu is %.9g, expected %.9g",
                         (int)from, (int)to, i, got, want);
    }
    EXPECT(guarded_front_is_intact(OUT_SLOT));
}

TEST(kernels_dequantize, every_value_per_tensor_and_per_channel)
{
    for (int to = HY_ELEMENT_F32; to <= HY_ELEMENT_F16; to++) {
        check(HY_ELEMENT_U8, (enum hy_element)to, 1, 128);
        check(HY_ELEMENT_S8, (enum hy_element)to, 1, -7);
        check(HY_ELEMENT_S8, (enum hy_element)to, 3, 0);
    }
}
