/*
 * Reads the settings of a driver, the "arguments" of a manifest. The host has already checked the
 * JSON syntax (hy_driver.create), so a scanner for a few forms is enough and a driver needs no JSON
 * library. Unknown members are refused.
 */
#ifndef HY_DRIVER_KIT_SETTINGS_H
#define HY_DRIVER_KIT_SETTINGS_H

#include <halyard/driver.h>

#include <stdbool.h>
#include <stddef.h>

/* The JSON form of a setting, and the C type of its value. */
enum hy_setting_kind {
    HY_SETTING_TEXT,  /* string without escapes, 1 byte or more; char[limit], including the NUL */
    HY_SETTING_ENUM,  /* one of `names`; uint32_t, its index */
    HY_SETTING_SET,   /* array of `names`; uint32_t, bit 1 << index for each */
    HY_SETTING_COUNT, /* number from 0 to `limit`, below 2^32; uint32_t */
    HY_SETTING_SIZE,  /* number from 0 to `limit`, up to 10^15; uint64_t */
    HY_SETTING_RATIO, /* number above 0, up to `limit`; float */
};

struct hy_setting {
    const char *name; /* of the member, shorter than 48 bytes */
    uint32_t kind;    /* HY_SETTING_* */
    size_t offset;    /* of the value in the driver's struct */
    uint64_t limit;
    const char *const *names; /* shorter than 48 bytes, at most 32; NULL ends them */
};

/*
 * Reads an object with any of the settings, in any order, into `values`. The initial content of
 * `values` is the default for omitted settings. False, with a text in `message`: the object has an
 * unknown member or a value in another form; `values` may have changed. Numbers have no exponent
 * and no sign; for integers the digits after the point are dropped.
 */
bool hy_settings_read(const char *arguments, const struct hy_setting *settings, uint32_t count,
                      void *values, const struct hy_message *message);

#endif
