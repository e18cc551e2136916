/*
 * Patches whose elements are those of the input: what conv_gather.h is told of them. A template,
 * included once by each kernel that reads inputs as they are.
 */
typedef HY_T source_type;
typedef HY_T patch_type;

struct patch_source {
    HY_T zero; /* what stands for real zero */
};

static inline void copy_run(const struct patch_source *source, size_t count, const HY_T *from,
                            HY_T *to)
{
    (void)source;
    memcpy(to, from, count * sizeof *to);
}

static inline void fill_run(const struct patch_source *source, size_t count, HY_T *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = source->zero;
}

#include "cpu_fallback/kernels/fast/conv/conv_gather.h"
