#ifndef HY_TOOLS_IMAGE_OPTION_H
#define HY_TOOLS_IMAGE_OPTION_H

#include <halyard/session.h>

#include "tools/options.h"

/* Options for pictures as inputs, as texts of the command line; NULL for an absent option. */
struct hy_image_option_texts {
    const char *fit;
    const char *channels;
    const char *layout;
    const char *mean;
    const char *std;
};

/* The options, as rows of struct hy_option. */
#define HY_IMAGE_OPTIONS(texts) \
    {"fit", HY_OPTION_TEXT, "FIT", "pictures: stretch (default), crop or letterbox", \
     &(texts)->fit}, \
        {"channels", HY_OPTION_TEXT, "ORDER", "pictures: rgb (default) or bgr", \
         &(texts)->channels}, \
        {"layout", HY_OPTION_TEXT, "LAYOUT", "pictures: nhwc or nchw; default: by the shape", \
         &(texts)->layout}, \
        {"mean", HY_OPTION_TEXT, "M[,M,M]", "pictures: subtracted from the values 0 to 255", \
         &(texts)->mean}, \
    { \
        "std", HY_OPTION_TEXT, "S[,S,S]", "pictures: divisor of the values after --mean", \
            &(texts)->std \
    }

/* Parses the texts. Returns an enum hy_exit, after a message on stderr for a failure. */
int hy_image_option_parse(const char *command, const struct hy_image_option_texts *texts,
                          struct halyard_image_options *out);

#endif
