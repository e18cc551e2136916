#include "cpu_fallback/kernels/element.h"
#include "cpu_fallback/kernels/reference/reference.h"
#include "cpu_fallback/kernels/stop.h"

void HY_FN(matvec)(const struct hy_matvec_shape *shape, const void *weights, const float *in,
                   float *out)
{
    struct hy_stop_watch *watch = hy_stop_here();

    for (size_t b = 0; b < shape->batch; b++, in += shape->columns, out += shape->rows) {
        const HY_T *row = weights;

        for (size_t r = 0; r < shape->rows; r++, row += shape->columns) {
            float sum = 0;
            if (hy_stop_after(watch, shape->columns))
                return;
            for (size_t c = 0; c < shape->columns; c++)
                sum += HY_LOAD(row[c]) * in[c];
            out[r] += sum;
        }
    }
}
