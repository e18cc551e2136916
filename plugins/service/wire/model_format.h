#ifndef HY_SERVICE_WIRE_MODEL_FORMAT_H
#define HY_SERVICE_WIRE_MODEL_FORMAT_H

#include "halyard/driver.h"

#include <assert.h>
#include <stddef.h>

/* The record that a model begins with; docs/service-protocol.md has what follows. */
struct hy_model_record {
#define MODEL(member) __typeof__(((struct hy_model *)NULL)->member) member;
#include "common/model_fields.def"
    uint32_t reserved;
};

static_assert(sizeof(struct hy_model_record) == 32, "no holes");

#endif
