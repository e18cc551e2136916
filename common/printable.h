#ifndef HY_COMMON_PRINTABLE_H
#define HY_COMMON_PRINTABLE_H

#include <stdbool.h>

/*
 * Texts from drivers, files and other processes for terminals, logs and reports: a printable text
 * is a single line of valid UTF-8. Not printable are the control characters (U+0000 to U+001F,
 * U+007F to U+009F, including escape sequences and line breaks), the line separators U+2028 and
 * U+2029, the marks for text direction (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069), and all bytes that are not UTF-8.
 */

/* True if the text is valid UTF-8 and printable. */
bool hy_text_is_clean(const char *text);

/* Cleans a text in place: each byte of an unprintable character becomes a blank. The length is
 * unchanged. */
void hy_text_clean(char *text);

#define HY_LINE_SIZE 4096u

/* A clean copy of a text, truncated to HY_LINE_SIZE. */
struct hy_line {
    char text[HY_LINE_SIZE];
};

struct hy_line hy_text_line(const char *text);

#endif
