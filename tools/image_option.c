#include "tools/image_option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/command.h"

enum { MAX_CHANNELS = 4 };

struct word {
    const char *text;
    int32_t value;
};

/* The list of an option's names ends with an empty word. */
static int choose(const char *command, const char *option, const char *text,
                  const struct word *names, const char *all, int32_t *out)
{
    if (!text)
        return HY_EXIT_OK;
    for (const struct word *word = names; word->text; word++) {
        if (strcmp(word->text, text) == 0) {
            *out = word->value;
            return HY_EXIT_OK;
        }
    }
    return hy_exit_wrong(command, "--%s %s: unknown value; known: %s", option, text, all);
}

/* "127.5" or "123.7,116.8,103.9". False: no such list. */
static bool parse_numbers(const char *text, float numbers[MAX_CHANNELS], uint32_t *count)
{
    *count = 0;
    for (;;) {
        char *end;
        const float number = strtof(text, &end);
        if (end == text || !isfinite(number) || *count == MAX_CHANNELS)
            return false;
        numbers[(*count)++] = number;
        if (*end == '\0')
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
}

static int parse_list(const char *command, const char *option, const char *text,
                      float numbers[MAX_CHANNELS], uint32_t *count)
{
    if (!text || parse_numbers(text, numbers, count))
        return HY_EXIT_OK;
    return hy_exit_wrong(command,
                         "--%s %s: needs a number, or up to %d numbers with commas between", option,
                         text, MAX_CHANNELS);
}

/* One number stands for all channels. */
static void spread(float numbers[MAX_CHANNELS], uint32_t count)
{
    for (uint32_t i = count; count == 1 && i < MAX_CHANNELS; i++)
        numbers[i] = numbers[0];
}

static int parse_means(const char *command, const struct hy_image_option_texts *texts,
                       struct halyard_image_options *out)
{
    uint32_t means = 1, stds = 1;
    if (!texts->mean && !texts->std)
        return HY_EXIT_OK;
    out->means[0] = 0;
    out->stds[0] = 1;
    int status = parse_list(command, "mean", texts->mean, out->means, &means);
    if (status == HY_EXIT_OK)
        status = parse_list(command, "std", texts->std, out->stds, &stds);
    if (status != HY_EXIT_OK)
        return status;
    if (means != stds && means != 1 && stds != 1)
        return hy_exit_wrong(command, "--mean has %u numbers, --std has %u", means, stds);
    out->mean_count = means > stds ? means : stds;
    spread(out->means, means);
    spread(out->stds, stds);
    for (uint32_t i = 0; i < out->mean_count; i++)
        if (out->stds[i] == 0)
            return hy_exit_wrong(command, "--std %s: 0 cannot be a divisor", texts->std);
    return HY_EXIT_OK;
}

int hy_image_option_parse(const char *command, const struct hy_image_option_texts *texts,
                          struct halyard_image_options *out)
{
    static const struct word fits[] = {{"stretch", HALYARD_FIT_STRETCH},
                                       {"crop", HALYARD_FIT_CROP},
                                       {"letterbox", HALYARD_FIT_LETTERBOX},
                                       {NULL, 0}};
    static const struct word orders[] = {
        {"rgb", HALYARD_CHANNELS_RGB}, {"bgr", HALYARD_CHANNELS_BGR}, {NULL, 0}};
    static const struct word layouts[] = {
        {"nhwc", HALYARD_LAYOUT_NHWC}, {"nchw", HALYARD_LAYOUT_NCHW}, {NULL, 0}};
    *out = (struct halyard_image_options){.struct_size = sizeof *out};
    int status = choose(command, "fit", texts->fit, fits, "stretch, crop and letterbox", &out->fit);
    if (status == HY_EXIT_OK)
        status =
            choose(command, "channels", texts->channels, orders, "rgb and bgr", &out->channels);
    if (status == HY_EXIT_OK)
        status = choose(command, "layout", texts->layout, layouts, "nhwc and nchw", &out->layout);
    return status == HY_EXIT_OK ? parse_means(command, texts, out) : status;
}
