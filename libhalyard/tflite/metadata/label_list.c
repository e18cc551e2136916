#include "libhalyard/tflite/metadata/label_list.h"

#include <stdbool.h>
#include <string.h>

#include "common/printable.h"

static bool is_line_end(char character)
{
    return character == '\n' || character == '\r';
}

/* Without the empty lines at the end. */
static size_t used_length(const char *text, size_t length)
{
    while (length > 0 && is_line_end(text[length - 1]))
        length--;
    return length;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t lines = length > 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Ends a line of `length` bytes with a NUL; no NUL may come before. */
static void clean_line(char *line, size_t length)
{
    if (length > 0 && line[length - 1] == '\r')
        length--;
    line[length] = '\0';
    for (char *nul = memchr(line, '\0', length); nul; nul = memchr(line, '\0', length))
        *nul = ' ';
    hy_text_clean(line);
}

enum hy_code hy_label_list_make(struct hy_arena *arena, const void *text, size_t length,
                                struct hy_label_list *out, struct hy_error *err)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    const char *from = text;
    if (length > HY_LABEL_LIST_MAX_BYTES)
        return hy_fail(err, HY_BAD_DATA, "%zu bytes of labels, the limit is %d", length,
                       HY_LABEL_LIST_MAX_BYTES);
    if (length >= sizeof mark && memcmp(from, mark, sizeof mark) == 0) {
        from += sizeof mark;
        length -= sizeof mark;
    }
    length = used_length(from, length);
    const size_t lines = count_lines(from, length);
    char *copy = hy_arena_alloc(arena, length + 1);
    const char **names = hy_arena_alloc(arena, (lines + 1) * sizeof *names);
    if (!copy || !names)
        return hy_fail(err, HY_OUT_OF_MEMORY, "%zu labels", lines);

    memcpy(copy, from, length);
    char *line = copy;
    for (size_t i = 0; i < lines; i++) {
        const size_t left = (size_t)(copy + length - line);
        char *end = memchr(line, '\n', left);
        const size_t line_length = end ? (size_t)(end - line) : left;
        clean_line(line, line_length);
        names[i] = line;
        line += line_length + 1;
    }
    *out = (struct hy_label_list){(uint32_t)lines, names};
    return HY_OK;
}
