#include "tools/xml.h"

#include <stdlib.h>
#include <string.h>

#include "common/printable.h"

void hy_xml_put_text(FILE *file, const char *text)
{
    char *clean = strdup(text); /* without memory the text is omitted */

    if (clean)
        hy_text_clean(clean);
    for (const char *at = clean ? clean : ""; *at; at++) {
        const char character = *at;
        if (character == '&')
            fputs("&amp;", file);
        else if (character == '<')
            fputs("&lt;", file);
        else if (character == '"')
            fputs("&quot;", file);
        else
            putc(character, file);
    }
    free(clean);
}

void hy_xml_put_attribute(FILE *file, const char *name, const char *text)
{
    fprintf(file, " %s=\"", name);
    hy_xml_put_text(file, text);
    putc('"', file);
}
