#ifndef HY_TOOLS_XML_H
#define HY_TOOLS_XML_H

#include <stdio.h>

/* Text as the value of an attribute. XML 1.0 has no way to write most control characters: they
 * become blanks. */
void hy_xml_put_text(FILE *file, const char *text);

/* ` name="text"`. */
void hy_xml_put_attribute(FILE *file, const char *name, const char *text);

#endif
