#ifndef HY_PLUGINS_SERVICE_QUEUE_RESULT_PACKET_H
#define HY_PLUGINS_SERVICE_QUEUE_RESULT_PACKET_H

#include <stdbool.h>

#include "halyard/driver.h"
#include "plugins/service/queue/layout.h"

/* Results as packets of typed elements: docs/queue-format.md. */

#define HY_QUEUE_WORDS_SIZE 385u /* words of a failure, NUL included */

/*
 * Writes the packet of an execution into `room` >= HY_RING_LEAST_CAPACITY elements and gives their
 * number. `result` counts with OK and OUTPUT_INSUFFICIENT_SIZE, `words` (or NULL) with all else.
 * What does not fit, or is no result, becomes a packet of GENERAL_FAILURE; words are cut.
 */
uint32_t hy_result_packet_encode(int32_t status, const struct hy_result *result, const char *words,
                                 union hy_element *elements, uint32_t room);

/*
 * Reads `count` elements in private memory. False: they break the format, or are not for a request
 * of result->output_count outputs; `status` and `result` are as before. `result` is written with OK
 * and OUTPUT_INSUFFICIENT_SIZE only; `words` are printable, maybe empty.
 */
bool hy_result_packet_decode(const union hy_element *elements, uint32_t count, int32_t *status,
                             struct hy_result *result, char words[HY_QUEUE_WORDS_SIZE]);

#endif
