#ifndef HY_SERVICE_WIRE_DESCRIBE_H
#define HY_SERVICE_WIRE_DESCRIBE_H

#include "halyard/driver.h"
#include "plugins/service/wire/fields.h"

/* DESCRIBE: the header's object is the index of the device; the reply describes the device. */

/* Optional members and groups present in a device's table. */
#define HY_WIRE_HAS_FROM_CACHE  1u  /* prepare_from_cache */
#define HY_WIRE_HAS_WAIT        2u  /* wait */
#define HY_WIRE_HAS_FENCED      4u  /* execute_fenced, ... */
#define HY_WIRE_HAS_BURST       8u  /* burst_open, ... */
#define HY_WIRE_HAS_BURST_SERVE 16u /* burst_serve */
#define HY_WIRE_HAS_REUSABLE    32u /* reusable_create, ... */
#define HY_WIRE_HAS_BUFFERS     64u /* buffer_create, ... */
#define HY_WIRE_HAS_ALL         127u

/* A description as sent by the service; hy_device_info_ask checks the values. */
struct hy_description {
    struct hy_device_info info;
    struct hy_capabilities capabilities;
    uint32_t members; /* HY_WIRE_HAS_* */
    uint32_t reserved;
};

HY_FIELDS(extension);
HY_FIELDS(device_info);
HY_FIELDS(capabilities);
HY_STRUCT(description);

#endif
