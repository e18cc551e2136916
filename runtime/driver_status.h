#ifndef HY_RUNTIME_DRIVER_STATUS_H
#define HY_RUNTIME_DRIVER_STATUS_H

#include "common/error.h"
#include "halyard/driver.h"

/* Room for the words a driver puts behind a failing status. */
#define HY_DRIVER_TEXT_SIZE 256

/*
 * Fails with hy_code_of(status) and the text "device: what failed: its words", or
 * with the name of the status where it has none. `words` is what
 * the driver wrote into its message, of HY_DRIVER_TEXT_SIZE bytes and not trusted to end in NUL or
 * to be printable. `status` is not HY_STATUS_OK.
 */
enum hy_code hy_driver_fail(struct hy_error *err, const char *device, const char *what,
                            int32_t status, char words[HY_DRIVER_TEXT_SIZE]);

/* Makes the driver's words one printable line (common/printable.h), in place. */
void hy_driver_text_clean(char *text, size_t size);

#endif
