#ifndef HY_LIBHALYARD_SESSION_ZIP_NAMES_H
#define HY_LIBHALYARD_SESSION_ZIP_NAMES_H

#include <stddef.h>

/* Calls `name` for each name in the directory of a ZIP archive of up to 4 GiB, or behind another
 * file, up to the first that is not whole. Names are cut to 255 bytes. */
void hy_zip_names(const void *bytes, size_t length, void (*name)(const char *text, void *context),
                  void *context);

#endif
