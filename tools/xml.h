#ifndef HY_TOOLS_XML_H
#define HY_TOOLS_XML_H

#include <stdio.h>

/* Writes text of an attribute. XML 1.0 cannot represent most control characters: they become
 * blanks. */
void hy_xml_put_text(FILE *file, const char *text);

/* ` name="text"`. */
void hy_xml_put_attribute(FILE *file, const char *name, const char *text);

#endif
