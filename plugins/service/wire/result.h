#ifndef HY_SERVICE_WIRE_RESULT_H
#define HY_SERVICE_WIRE_RESULT_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Replies of executions:
 *
 *   EXECUTE, REUSABLE_EXECUTE        result; with OUTPUT_INSUFFICIENT_SIZE text, result
 *   EXECUTE_FENCED                   no body: object = the fenced execution
 *   FENCED_RESULT                    fenced result
 */

void hy_result_pack(struct hy_pack *out, const struct hy_result *result);

/* Fills result->outputs, an array of result->output_count elements; fails when the reply has a
 * different count. The values are valid only after hy_unpack_end. */
void hy_result_unpack(struct hy_unpack *in, struct hy_result *result);

HY_STRUCT(fenced_result);

#endif
