#ifndef HY_TOOLS_CONVERT_CONVERT_WEIGHTED_H
#define HY_TOOLS_CONVERT_CONVERT_WEIGHTED_H

#include "tools/convert/arguments.h"

/* Operators with a filter and a bias. */
HY_MUST_CHECK enum hy_code hy_convert_conv_2d(struct hy_arguments *args);
HY_MUST_CHECK enum hy_code hy_convert_depthwise_conv_2d(struct hy_arguments *args);
HY_MUST_CHECK enum hy_code hy_convert_fully_connected(struct hy_arguments *args);
HY_MUST_CHECK enum hy_code hy_convert_transpose_conv(struct hy_arguments *args);

#endif
