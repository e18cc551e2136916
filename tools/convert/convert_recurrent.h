#ifndef HY_TOOLS_CONVERT_CONVERT_RECURRENT_H
#define HY_TOOLS_CONVERT_CONVERT_RECURRENT_H

#include "tools/convert/arguments.h"

/* Operators with a state. NNAPI keeps none: every run begins with that of the first. */
HY_MUST_CHECK enum hy_code hy_convert_unidirectional_sequence_lstm(struct hy_arguments *args);

#endif
