#ifndef HY_TOOLS_SHAPE_OPTION_H
#define HY_TOOLS_SHAPE_OPTION_H

#include <halyard/session.h>

#include "common/error.h"

enum { HY_SHAPE_MAX_RANK = 8 };

/* Sets the shape of an input from a --shape option: "NAME=1x224x224x3", or "0=..." with the input's
 * index if no input has the name; "NAME=" is a scalar. HY_BAD_DATA: the error text quotes the
 * option and lists the inputs. */
HY_MUST_CHECK enum hy_code
hy_shape_option_apply(const char *option, struct halyard_session *session, struct hy_error *err);

/* "float32[1,96,96,3]", with ? for an unknown extent. Truncated to `size` bytes. */
void hy_shape_text(const struct halyard_tensor_info *info, char *text, size_t size);

#endif
