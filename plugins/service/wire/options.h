#ifndef HY_SERVICE_WIRE_OPTIONS_H
#define HY_SERVICE_WIRE_OPTIONS_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

HY_FIELDS(hint);
HY_FIELDS(extension_prefix);

/* Options of PREPARE (behind the model) and PREPARE_FROM_CACHE (alone). Cache files are sent as
 * descriptors. message.text is not sent; the reply carries the error text. */
HY_STRUCT(prepare_options);

/* Options of an execution, behind its request. Scratch and message are not sent. */
HY_STRUCT(run_options);

/* Prefixes of extensions; the count is sent elsewhere in the body. */
void hy_prefixes_pack(struct hy_pack *out, const struct hy_extension_prefix *prefixes,
                      uint32_t count);
const struct hy_extension_prefix *hy_prefixes_unpack(struct hy_unpack *in, uint32_t count);

#endif
