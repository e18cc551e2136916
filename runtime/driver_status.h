#ifndef HY_RUNTIME_DRIVER_STATUS_H
#define HY_RUNTIME_DRIVER_STATUS_H

#include "common/error.h"
#include "halyard/driver.h"

/* Size in bytes of the text that a driver may add to a failing status. */
#define HY_DRIVER_TEXT_SIZE 256

/*
 * Fails with hy_code_of(status) and the text "device: what failed: text". If `text` is empty, the
 * name of the status replaces the text. `text` is the message from the driver, HY_DRIVER_TEXT_SIZE
 * bytes, which may lack a NUL or hold unprintable bytes. `status` is not HY_STATUS_OK.
 */
enum hy_code hy_driver_fail(struct hy_error *err, const char *device, const char *what,
                            int32_t status, char text[HY_DRIVER_TEXT_SIZE]);

/* Makes one printable line of the driver's text, in place (common/printable.h). */
void hy_driver_text_clean(char *text, size_t size);

#endif
