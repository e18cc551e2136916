#ifndef HY_TOOLS_VECTORS_SURVEY_H
#define HY_TOOLS_VECTORS_SURVEY_H

#include "common/operations/operation.h"
#include "tools/device_selection.h"
#include "tools/vectors/vector.h"

/*
 * The operations that the devices support at all. A device that refuses a signature of a supported
 * operation fails a test; a device without any form of the operation gets the test skipped. Only
 * many vectors show the difference. An operation is *missing* if at least one valid vector has used
 * the operation and the devices have supported no vector with the operation.
 */
struct hy_survey {
    bool asked[HY_OP_COUNT];
    bool supported[HY_OP_COUNT];
};

/* Adds the results of a vector; a vector without new information costs no time. */
void hy_survey_add(struct hy_survey *survey, const struct hy_vector *vector,
                   const struct hy_device_selection *devices);

/* The names of a test's missing operations, comma separated; false without missing operations. */
bool hy_survey_missing(const struct hy_survey *survey, const struct hy_vector *vector, char *names,
                       size_t size);

#endif
