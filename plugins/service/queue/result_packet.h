#ifndef HY_PLUGINS_SERVICE_QUEUE_RESULT_PACKET_H
#define HY_PLUGINS_SERVICE_QUEUE_RESULT_PACKET_H

#include <stdbool.h>

#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"

/* Results as packets of typed elements, see docs/queue-format.md. */

#define HY_QUEUE_TEXT_SIZE 385u /* bytes of an error text, NUL included */

/*
 * Encodes the result of an execution and returns the number of elements. `elements` has capacity
 * for `space` >= HY_RING_LEAST_CAPACITY elements. `result` is used with OK and
 * OUTPUT_INSUFFICIENT_SIZE, `text` (or NULL) with any other status. A result that is invalid or
 * too large becomes GENERAL_FAILURE. A long text is truncated.
 */
uint32_t hy_result_packet_encode(int32_t status, const struct hy_result *result, const char *text,
                                 union hy_element *elements, uint32_t space);

/*
 * Decodes `count` elements in private memory. False: the elements break the format or do not match
 * result->output_count; `status` and `result` are unchanged. `result` is written with OK and
 * OUTPUT_INSUFFICIENT_SIZE only. `text` is printable and may be empty.
 */
bool hy_result_packet_decode(const union hy_element *elements, uint32_t count, int32_t *status,
                             struct hy_result *result, char text[HY_QUEUE_TEXT_SIZE]);

#endif
