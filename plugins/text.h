#ifndef HY_PLUGINS_TEXT_H
#define HY_PLUGINS_TEXT_H

#include <stdbool.h>

/* Texts of drivers and files, which end up in logs and reports: one line of valid UTF-8. */

/* True when the text is valid UTF-8 without control characters. */
bool hy_text_is_clean(const char *text);

/* Makes it so: a blank takes the place of each byte that is not. */
void hy_text_clean(char *text);

#endif
