#ifndef HY_TOOLS_VECTORS_MODEL_JSON_H
#define HY_TOOLS_VECTORS_MODEL_JSON_H

#include "tools/vectors/read_json.h"

/* Reads one model. `referenced` is the number of referenced models of the test. */
HY_MUST_CHECK enum hy_code hy_read_model(struct hy_reader *reader, const json_t *object,
                                         uint32_t referenced, struct hy_vector_model *out);

#endif
