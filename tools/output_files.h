#ifndef HY_TOOLS_OUTPUT_FILES_H
#define HY_TOOLS_OUTPUT_FILES_H

#include "tools/session.h"

/* Writes each output's bytes to folder/out0.bin, out1.bin, ... Makes a missing directory; existing
 * files are replaced. Errors name the path. */
HY_MUST_CHECK enum hy_code hy_output_files_write(const struct hy_session *session, const char *dir,
                                                 struct hy_error *err);

#endif
