#ifndef HY_SERVICE_WIRE_RESULT_H
#define HY_SERVICE_WIRE_RESULT_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/*
 * Answers of executions:
 *
 *   EXECUTE, REUSABLE_EXECUTE        result; with OUTPUT_INSUFFICIENT_SIZE text, result
 *   EXECUTE_FENCED                   nothing: object = the fenced execution
 *   FENCED_RESULT                    fenced result
 */

void hy_result_pack(struct hy_pack *out, const struct hy_result *result);

/* Fills result->outputs, which has room for result->output_count: fails when the answer has
 * another number. Only after hy_unpack_end may they be believed. */
void hy_result_unpack(struct hy_unpack *in, struct hy_result *result);

HY_STRUCT(fenced_result);

#endif
