#ifndef HY_TOOLS_VECTORS_SURVEY_H
#define HY_TOOLS_VECTORS_SURVEY_H

#include "common/operations/operation.h"
#include "tools/device_choice.h"
#include "tools/vectors/vector.h"

/*
 * Which operations the devices have at all. A device that refuses one signature of an operation it
 * has fails a test; a device that has no form of it gets the test skipped. The difference shows
 * only over many vectors: an operation is *not there* when at least one valid vector asked for it
 * and the devices supported it in none.
 */
struct hy_survey {
    bool asked[HY_OP_COUNT];
    bool supported[HY_OP_COUNT];
};

/* Adds what one vector tells; vectors that tell nothing new cost nothing. */
void hy_survey_add(struct hy_survey *survey, const struct hy_vector *vector,
                   const struct hy_device_choice *devices);

/* The names of the operations of a test that are not there, comma separated; false if all are. */
bool hy_survey_missing(const struct hy_survey *survey, const struct hy_vector *vector, char *names,
                       size_t size);

#endif
