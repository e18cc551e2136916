#ifndef HY_RUNTIME_EXTENSION_H
#define HY_RUNTIME_EXTENSION_H

#include "common/error.h"
#include "halyard/driver.h"

#include <stdbool.h>

/*
 * The extensions of this process. An extension name gets a number, its prefix, on first use and
 * keeps the prefix. Codes of operations, operand types and attributes hold the prefix in their
 * upper half. Devices with an extension describe its operand types. Thread-safe; entries are never
 * removed.
 */

#define HY_EXTENSION_PREFIX_LAST 32767u /* keeps codes positive; Halyard's own extension */

static inline uint32_t hy_extension_prefix_of(int32_t code)
{
    return (uint32_t)code >> 16;
}

/*
 * Returns the prefix of a name, and assigns a new prefix to a new name. A device need not offer the
 * extension. Errors: BAD_DATA (no prefix left), OUT_OF_MEMORY.
 */
HY_MUST_CHECK enum hy_code hy_extension_prefix(const char *name, uint32_t *ret,
                                               struct hy_error *err);

/* Finds the prefix of a name. False: the name has no prefix; no prefix is assigned. */
bool hy_extension_find_prefix(const char *name, uint32_t *ret);

/* True for a valid extension name: lower-case letters, digits, '_' and '.', with at least one '.'.
 * NULL is not valid. */
bool hy_extension_name_is_well_formed(const char *name);

/* Returns the name of a prefix, valid forever. NULL: the prefix was never assigned. */
const char *hy_extension_name(uint32_t prefix);

/*
 * Records the extensions of a device. Each device may list a part of an extension's operand types.
 * If two devices describe one type differently, the extension is disabled: no device offers the
 * extension, and its operand types are unknown. The operand types of org.halyard.operations are
 * built in: a device with a different description does not offer the extension. An extension with a
 * malformed name, or without a free prefix, counts as not listed. All of these cases are logged.
 * OUT_OF_MEMORY: the record is incomplete; the device may be learnt again.
 */
HY_MUST_CHECK enum hy_code hy_extensions_learn(const struct hy_device_info *device,
                                               struct hy_error *err);

/* Writes the properties of an extension's operand type. False: no device describes the type. */
bool hy_extension_operand_type(int32_t type, struct hy_extension_operand_type *ret);

/* True if the device lists the extension of this prefix and the extension is not disabled. */
bool hy_extension_is_offered(uint32_t prefix, const struct hy_device_info *device);

/* True if the device fully supports its listed extension number `index`. NNAPI knows only full
 * support. Partial support is for the planner, which asks for each operation. */
bool hy_extension_is_whole(const struct hy_device_info *device, uint32_t index);

/* True if the device lists this operand type and the extension is not disabled. */
bool hy_extension_type_is_offered(int32_t type, const struct hy_device_info *device);

/*
 * Returns the text of an extension code, such as "com.acme.fft#3": one printable line, valid
 * forever. NULL: the prefix was never assigned. Without memory the result is the name of the
 * extension alone.
 */
const char *hy_extension_code_text(int32_t code);

#endif
