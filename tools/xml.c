#include "tools/xml.h"

void hy_xml_put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        const unsigned char character = (unsigned char)*text;
        if (character == '&')
            fputs("&amp;", file);
        else if (character == '<')
            fputs("&lt;", file);
        else if (character == '"')
            fputs("&quot;", file);
        else
            putc(character < 0x20 ? ' ' : character, file);
    }
}

void hy_xml_put_attribute(FILE *file, const char *name, const char *text)
{
    fprintf(file, " %s=\"", name);
    hy_xml_put_text(file, text);
    putc('"', file);
}
