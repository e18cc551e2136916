#include "cpu_fallback/kernels/reference/widen.h"

enum hy_wide hy_wide_of(enum hy_element element)
{
    switch (element) {
    case HY_ELEMENT_F32:
    case HY_ELEMENT_F16:
    case HY_ELEMENT_F64:
    case HY_ELEMENT_BF16:
        return HY_WIDE_REAL;
    case HY_ELEMENT_N64:
        return HY_WIDE_UNSIGNED;
    default:
        return HY_WIDE_SIGNED;
    }
}
