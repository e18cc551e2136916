/*
 * The definitions of conv_gather.h for patches with unconverted inputs. A template, included once
 * by each kernel that uses inputs unconverted.
 */
typedef HY_T source_type;
typedef HY_T patch_type;

struct patch_source {
    HY_T zero; /* the stored value of real zero */
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
