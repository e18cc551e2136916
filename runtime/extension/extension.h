#ifndef HY_RUNTIME_EXTENSION_H
#define HY_RUNTIME_EXTENSION_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * The extensions of this process. A name gets a number, its prefix, when it is first asked for, and
 * keeps it; codes of operations, operand types and attributes hold it in their upper half. What
 * operand types an extension has is known from the devices that offer it. Thread-safe; entries are
 * never removed.
 */

#define HY_EXTENSION_PREFIX_LAST 32767u /* so that no code is negative; Halyard's own extension */

static inline uint32_t hy_extension_prefix_of(int32_t code)
{
    return (uint32_t)code >> 16;
}

/*
 * The prefix of a name, whether a device offers that extension or not.
 * Errors: BAD_DATA (all prefixes are given away), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_extension_prefix(const char *name, uint32_t *ret,
                                               struct hy_error *err);

/* The same where the name has its prefix already; false where it has none, and gets none. */
bool hy_extension_find_prefix(const char *name, uint32_t *ret);

/* Whether a device may list an extension of that name: lower-case letters, digits, '_' and '.', and
 * of the last at least one. NULL is no name. */
bool hy_extension_name_is_well_formed(const char *name);

/* The name that has this prefix, valid for ever; NULL if it was never given. */
const char *hy_extension_name(uint32_t prefix);

/*
 * Takes down what a device says of its extensions. Each device may list some of an extension's
 * operand types. Two devices that describe one type differently disable the extension: nobody
 * offers it any more, and its operand types are unknown. The operand types of
 * org.halyard.operations are known: a device with another description of such a type offers nothing
 * of the extension. An extension that cannot be taken down (a malformed name, no prefix left)
 * counts as not listed. All of this is logged.
 * OUT_OF_MEMORY: not all is taken down; the device may be learnt again.
 */
HY_MUST_CHECK enum hy_code hy_extensions_learn(const struct hy_device_info *device,
                                               struct hy_error *err);

/* Writes what devices say of an extension's operand type; false if no device knows it. */
bool hy_extension_operand_type(int32_t type, struct hy_extension_operand_type *ret);

/* Whether the device lists the extension that has this prefix, and it is not disabled. */
bool hy_extension_is_offered(uint32_t prefix, const struct hy_device_info *device);

/* Whether the device supports the whole of that extension, number `index` of those that it lists.
 * NNAPI knows no others: parts are for the planner, which asks about each operation. */
bool hy_extension_is_whole(const struct hy_device_info *device, uint32_t index);

/* Whether the device lists this operand type of an extension that is not disabled. */
bool hy_extension_type_is_offered(int32_t type, const struct hy_device_info *device);

/*
 * Names a code of an extension: "com.acme.fft#3", one printable line, valid for ever. NULL if its
 * prefix was never given; the name of the extension alone where memory is out.
 */
const char *hy_extension_code_text(int32_t code);

#endif
