#ifndef HY_COMMON_PRINTABLE_H
#define HY_COMMON_PRINTABLE_H

#include <stdbool.h>

/*
 * Texts of drivers, files and other processes, which end up on terminals and in logs and reports:
 * one line of valid UTF-8. Not printable are the control characters (U+0000 to U+001F, U+007F to
 * U+009F: escape sequences and new lines, in both of their forms), the line separators U+2028 and
 * U+2029, the marks that turn the direction of text around (U+061C, U+200E, U+200F, U+202A to
 * U+202E, U+2066 to U+2069), and all bytes that are not UTF-8.
 */

/* True when the text is valid UTF-8 of printable characters alone. */
bool hy_text_is_clean(const char *text);

/* Cleans a text in place: a blank replaces each byte of an unprintable character. The length stays.
 */
void hy_text_clean(char *text);

#define HY_LINE_SIZE 4096u

/* A clean copy of a text that must itself stay unchanged, cut to HY_LINE_SIZE. */
struct hy_line {
    char text[HY_LINE_SIZE];
};

struct hy_line hy_text_line(const char *text);

#endif
